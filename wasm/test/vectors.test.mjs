// Matches and situations with their known answers: this project's own corpus, and whatever lies in CUATROLA_VECTORS (by
// default ../shared/vectors beside the repository, if it is there).

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { init } from '../dist/index.js'
import { root, runModule } from './helpers.mjs'

const cuatrola = await init()
const folders = [fileURLToPath(new URL('testdata', import.meta.url))]
const vectors = process.env.CUATROLA_VECTORS ?? join(root, '../shared/vectors')
if (process.env.CUATROLA_VECTORS || existsSync(vectors)) folders.push(vectors)

for (const folder of folders) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  test(`${folder === vectors ? 'vectors' : 'own corpus'}: there is something`, () => assert.ok(files.length > 0))
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8')
    const lines = text.trimEnd().split('\n').map((line) => JSON.parse(line))

    test(`${name}: ${lines.length} answers`, () => {
      for (const [i, line] of lines.entries()) {
        if (line.position) assert.deepEqual(cuatrola.legal(line.position), line.legal, `line ${i + 1}`)
        if (line.result) assert.deepEqual(cuatrola.replay(line.record), line.result, `line ${i + 1}`)
        if (line.trace) assert.deepEqual(cuatrola.trace(line.record).trace, line.trace, `line ${i + 1}`)
      }
    })

    test(`${name}: as lines of the command`, async () => {
      const lists = lines[0].position
        ? { legal: ['legal'] }
        : { result: ['replay'], ...(lines[0].trace && { trace: ['replay', '--trace'] }) }
      for (const [what, args] of Object.entries(lists)) {
        const { status, out, err } = await runModule(args, text)
        assert.equal(err, '')
        assert.equal(status, 0)
        const want = lines.map((line) => {
          if (what === 'legal') return JSON.stringify({ legal: line.legal })
          return JSON.stringify(what === 'trace' ? { result: line.result, trace: line.trace } : line.result)
        })
        assert.equal(out, want.map((line) => line + '\n').join(''))
      }
    })
  }
}
