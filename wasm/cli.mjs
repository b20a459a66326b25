#!/usr/bin/env node
// Lines of JSON answered by the module: the same bytes as the native command gives.

import { createReadStream, existsSync } from 'node:fs'
import { once } from 'node:events'

const usage = `usage: cuatrola-rules replay [--trace] [FILE|-]
       cuatrola-rules legal [FILE|-]
       cuatrola-rules solve [FILE|-]
       cuatrola-rules review [--lang es|ca|en] [FILE|-]
       cuatrola-rules fair verify [FILE|-]`

// The longest line that is read, in bytes: server/cmd/cuatrola has the same limit.
const maxLine = 1 << 20
const newline = 10
const carriageReturn = 13

/** Calls answer with each line of the stream, without its end; with null for one that is too long. */
async function eachLine(stream, answer) {
  let parts = []
  let length = 0
  const end = async (last, ended) => {
    let line = parts.length === 0 ? last : Buffer.concat([...parts, last])
    if (ended && line.at(-1) === carriageReturn) line = line.subarray(0, -1)
    await answer(length + last.length > maxLine + 1 || line.length > maxLine ? null : line)
    parts = []
    length = 0
  }
  for await (const chunk of stream) {
    let start = 0
    for (let at; (at = chunk.indexOf(newline, start)) >= 0; start = at + 1) await end(chunk.subarray(start, at), true)
    const rest = chunk.subarray(start)
    length += rest.length
    // What is too long anyway is not kept.
    if (rest.length > 0 && length <= maxLine + 1) parts.push(rest)
  }
  if (length > 0) await end(Buffer.alloc(0), false)
}

async function main(args) {
  const command = args[0] === 'fair' && args[1] === 'verify' ? args.splice(0, 2).join(' ') : args.shift()
  const trace = command === 'replay' && args.includes('--trace')
  let lang = 'es'
  if (command === 'review' && args[0] === '--lang' && ['es', 'ca', 'en'].includes(args[1])) lang = args.splice(0, 2)[1]
  const rest = args.filter((arg) => !(trace && arg === '--trace'))
  const file = rest[0] ?? '-'
  if (!['replay', 'legal', 'solve', 'review', 'fair verify'].includes(command) || rest.length > 1 || (file.startsWith('-') && file !== '-')) {
    console.error(usage)
    return 2
  }
  if (!existsSync(new URL('dist/cuatrola.wasm', import.meta.url)) || !existsSync(new URL('dist/index.js', import.meta.url))) {
    console.error('the module is not built: run `make wasm` first')
    return 1
  }
  const { init } = await import('./dist/index.js')
  const cuatrola = await init()
  let status = 0
  const answerTo = {
    replay: (text) => cuatrola.replayLine(text, trace),
    legal: (text) => cuatrola.legalLine(text),
    solve: (text) => cuatrola.solveLine(text),
    review: (text) => cuatrola.reviewLine(text, lang),
    'fair verify': (text) => {
      const answer = cuatrola.fairLine(text)
      if (!answer.honest) status = 1
      return answer.text
    },
  }[command]

  let number = 0
  let out = []
  let waiting = 0
  const flush = async () => {
    const text = out.join('')
    out = []
    waiting = 0
    // A reader slower than this end must not make memory grow.
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain')
  }
  // JSON has no byte order mark: it must arrive where it is refused.
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
  await eachLine(file === '-' ? process.stdin : createReadStream(file), async (line) => {
    number++
    try {
      if (line === null) throw new Error(`longer than ${maxLine} bytes`)
      const text = utf8.decode(line)
      if (/^[\s\u0085]*$/.test(text) && !text.includes('\ufeff')) return
      const answer = answerTo(text) + '\n'
      out.push(answer)
      if ((waiting += answer.length) > 1 << 16) await flush()
    } catch (e) {
      status = 1
      await flush()
      // One line, whatever names in the input it repeats.
      process.stderr.write(`line ${number}: ${e.message.replace(/\p{Cc}/gu, '?')}\n`)
    }
  })
  await flush()
  return status
}

// A reader that has seen enough, such as head, is no failure.
process.stdout.on('error', (e) => process.exit(e.code === 'EPIPE' ? 0 : 1))
main(process.argv.slice(2)).then(
  (status) => {
    process.exitCode = status
  },
  (e) => {
    console.error(e.message)
    process.exitCode = 1
  },
)
