// The package as npm packs it, installed into a fresh project, and what its README shows, for the tests of both.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { root, run, temporaryFolder } from './helpers.mjs'

const name = '@cuatrola/rules'

async function npm(cwd, ...args) {
  const { status, out, err } = await run('npm', args, '', { cwd })
  assert.equal(status, 0, `npm ${args.join(' ')}:\n${out}${err}`)
  return out
}

/** Packs the package. Gives the tarball's path, and what npm says of it: its size, and its files with theirs. */
export async function pack() {
  const folder = temporaryFolder()
  // As it was built: the tests of a build are not the place to build it again.
  const [packed] = Object.values(JSON.parse(await npm(root, 'pack', '--workspace', name, '--ignore-scripts', '--json', '--pack-destination', folder)))
  return { ...packed, path: join(folder, packed.filename) }
}

/** A project that has nothing but the package, installed from a tarball without a network. */
export async function project(tarball) {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{ "name": "fresh", "private": true, "type": "module" }')
  await npm(folder, 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball)
  return { folder, write: (files) => writeAll(folder, files), installed: join(folder, 'node_modules', name) }
}

function writeAll(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** The README's examples by their files' names. */
export function examples(readme) {
  const found = [...readme.matchAll(/^```(\S+)(?: (\S+))?\n([^]*?)^```$/gm)]
  for (const [, language, file] of found) assert.ok(file, `an example in ${language} that no test runs, since it has no file name`)
  return Object.fromEntries(found.map(([, , file, text]) => [file, text]))
}

/** The paths and lengths of a tarball's files. */
export function filesIn(path) {
  const tar = gunzipSync(readFileSync(path))
  const text = (at, length) => tar.toString('utf8', at, at + length).split('\0', 1)[0]
  const files = new Map()
  for (let at = 0; tar[at] !== 0; ) {
    const size = parseInt(text(at + 124, 12), 8)
    if (text(at + 156, 1) === '0') files.set(text(at, 100).replace(/^package\//, ''), size)
    at += 512 + 512 * Math.ceil(size / 512)
  }
  return files
}
