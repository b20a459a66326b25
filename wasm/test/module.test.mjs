// The file itself, its start, and what happens when it breaks.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { compile, init, initSync, ModuleError } from '../dist/index.js'
import { bytesOf, textOf } from '../dist/utf8.js'
import { newHost } from '../dist/wasi.js'
import { cli, dice, native, run, runModule, temporaryFolder } from './helpers.mjs'

const file = new URL('../dist/cuatrola.wasm', import.meta.url)
const bytes = readFileSync(file)

test('the module is within its size', () => {
  const size = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length
  assert.ok(size <= 380_000, `${size} bytes compressed: has a package with fmt, os or crypto/… come in?`)
})

test('the module asks its host for a clock, a way to print and little else', () => {
  const compiled = new WebAssembly.Module(bytes)
  const imports = WebAssembly.Module.imports(compiled)
  assert.deepEqual([...new Set(imports.map((i) => i.module))], ['wasi_snapshot_preview1'])
  assert.deepEqual([...new Set(imports.map((i) => i.name))].sort(), [
    'args_get', 'args_sizes_get', 'clock_time_get', 'environ_get', 'environ_sizes_get', 'fd_write', 'poll_oneoff', 'proc_exit',
    'random_get', 'sched_yield',
  ])
})

const proves = (cuatrola) => assert.deepEqual(cuatrola.rules('liga').bids[0], { name: 'solo', needs: 3, value: 2 })

test('it starts from wherever it is', async () => {
  const compiled = new WebAssembly.Module(bytes)
  const wasm = { headers: { 'Content-Type': 'application/wasm' } }
  proves(await init())
  proves(await init(file))
  proves(await init(file.href))
  proves(await init(bytes))
  proves(await init(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)))
  proves(await init(compiled))
  proves(await init(new Response(bytes, wasm)))
  proves(await init(Promise.resolve(new Response(bytes)))) // without its media type
  proves(initSync(bytes))
  proves(initSync(compiled))
  await assert.rejects(init(new Response('', { status: 404 })), /cannot load the rules' module: 404/)
  await assert.rejects(init(new Uint8Array([1, 2, 3])), WebAssembly.CompileError)
})

test('it starts from a web server', async () => {
  const server = createServer((_, answer) => answer.setHeader('Content-Type', 'application/wasm').end(bytes))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    proves(await init(`http://127.0.0.1:${server.address().port}/`))
  } finally {
    server.close()
  }
})

test('it is compiled once for several', async () => {
  const compiled = await compile()
  assert.ok(compiled instanceof WebAssembly.Module)
  assert.equal(await compile(compiled), compiled)
  proves(await init(compiled))
  proves(await init(compiled))
})

test('a page in the module’s place says so', async () => {
  const page = new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html; charset=utf-8' } })
  await assert.rejects(init(page), /is a page\. Give init\(\) the URL of cuatrola\.wasm/)
})

test('texts and times cross as the platform’s own have them, without which they do', () => {
  const encoder = new TextEncoder()
  const roll = dice(8)
  const texts = ['', 'AO', 'ñ·€', '\u{1f0a1}', '\ud800', '\udc00x', 'x\ud83d', '\u{10ffff}\u07ff\u0800\uffff']
  for (let i = 0; i < 2000; i++) texts.push(String.fromCharCode(...Array.from({ length: 5 }, () => roll(2) ? roll(65536) : roll(256))))
  for (const text of texts) {
    const bytes = encoder.encode(text)
    assert.deepEqual(bytesOf(text), bytes, JSON.stringify(text))
    assert.equal(textOf(bytes), new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
  }
  const host = newHost()
  host.memory = { buffer: new ArrayBuffer(16) }
  const memory = new DataView(host.memory.buffer)
  const { now } = Date
  try {
    for (const ms of [0, 1, 4294967.295, 4294967.296, 1790000000000.123, 2 ** 42 + 0.5]) {
      Date.now = () => ms
      host.imports.wasi_snapshot_preview1.clock_time_get(0, 0n, 8)
      assert.equal(memory.getBigUint64(8, true), BigInt(Math.floor(ms * 1000)) * 1000n)
    }
  } finally {
    Date.now = now
  }
})

test('after a breakdown the next call is answered', async () => {
  const cuatrola = await init()
  const match = cuatrola.newMatch({ rules: 'mesa', seed: 'breakdown' })
  for (let i = 0; i < 7; i++) match.apply(match.turn, match.legal(match.turn)[0])
  const before = match.view(0)
  for (let i = 0; i < 3; i++) {
    assert.throws(
      () => cuatrola.module.call((e) => e.legal(99)), // no such slot
      (e) => e instanceof ModuleError && /index out of range/.test(e.message),
    )
    assert.deepEqual(match.view(0), before)
  }
  assert.equal(match.apply(match.turn, match.legal(match.turn)[0]), null)
  assert.notDeepEqual(match.view(0), before)
  proves(cuatrola)
})

test('many matches at once', async () => {
  const cuatrola = await init()
  const play = (i) => cuatrola.newMatch({ rules: i % 2 ? 'liga' : 'clasica', seed: `match ${i}` })
  const together = Array.from({ length: 40 }, (_, i) => play(i))
  for (let open = true; open; ) {
    open = false
    for (const match of together) {
      if (match.over) continue
      open = true
      assert.equal(match.apply(match.turn, match.legal(match.turn).at(-1)), null)
    }
  }
  // One by one they come out the same.
  for (const [i, match] of together.entries()) {
    const alone = play(i)
    while (!alone.over) alone.apply(alone.turn, alone.legal(alone.turn).at(-1))
    assert.deepEqual(alone.record(), match.record())
    assert.deepEqual(alone.results, match.results)
  }
})

test('a garbage collection or a grown stack changes nothing', async () => {
  const cuatrola = await init()
  const seen = new Set()
  for (let i = 0; i < 300; i++) {
    // Inputs that grow make the module throw away its room over and over.
    const record = { format: 'cuatrola-record/1', rules: 'liga', hands: Array(1 + i * 20).fill({ dealer: 0, actions: [] }) }
    seen.add(JSON.stringify(cuatrola.replay(record)))
  }
  assert.deepEqual([...seen], ['{"ok":false,"hand":0,"action":null,"error":"bad_deal","hands":[]}'])
})

test('the command without the module says what to do', async () => {
  const folder = temporaryFolder()
  const copy = join(folder, 'cli.mjs')
  copyFileSync(cli, copy)
  const { status, out, err } = await run(process.execPath, [copy, 'replay'], '')
  assert.deepEqual([status, out], [1, ''])
  assert.match(err, /run `make wasm` first/)
})

test('the command’s own mistakes', async () => {
  for (const args of [[], ['play'], ['replay', 'a', 'b'], ['legal', '--trace'], ['solve', '--trace'], ['replay', '--tarce'], ['fair']]) {
    const { status, err } = await runModule(args)
    assert.equal(status, 2, args.join(' '))
    assert.match(err, /^usage: /)
  }
  const { status, out, err } = await runModule(['replay', join(temporaryFolder(), 'nothing.jsonl')])
  assert.deepEqual([status, out], [1, ''])
  assert.match(err, /^[^\n]*nothing\.jsonl[^\n]*\n$/)
})

test('the command answers the rest after a bad line', async () => {
  const good = '{"format":"cuatrola-record/1","rules":"mesa","hands":[]}'
  const { status, out, err } = await runModule(['replay', '-'], `${good}\nnot JSON\n\n${good}`)
  assert.equal(status, 1)
  assert.equal(out, '{"ok":true,"hands":[],"score":[0,0],"winner":null}\n'.repeat(2))
  assert.equal(err, 'line 2: not JSON\n')
})

test('the command’s memory does not grow with its input', async () => {
  const { out } = await run(native(), ['bots', '--random', '--rules', 'clasica', '--matches', '200'])
  const copies = Math.ceil(100_000_000 / out.length)
  const preload = join(temporaryFolder(), 'peak.mjs')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(preload, "process.on('exit', () => process.stderr.write(`peak ${process.resourceUsage().maxRSS}\\n`))\n")
  const peak = async (times) => {
    const child = spawn(process.execPath, ['--import', pathToFileURL(preload).href, cli, 'replay'], { stdio: 'pipe' })
    child.stdout.resume()
    let err = ''
    child.stderr.on('data', (chunk) => (err += chunk))
    const closed = new Promise((resolve) => child.on('close', resolve))
    for (let i = 0; i < times; i++) {
      if (!child.stdin.write(out)) await new Promise((resolve) => child.stdin.once('drain', resolve))
    }
    child.stdin.end()
    assert.equal(await closed, 0)
    return Number(err.match(/peak (\d+)/)[1]) / 1024
  }
  const some = await peak(copies / 10)
  const all = await peak(copies)
  assert.ok(all < some + 60, `${some} MB for 10 MB of records, ${all} MB for 100 MB`)
})
