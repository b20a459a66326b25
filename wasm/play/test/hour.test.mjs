import assert from 'node:assert/strict'
import { it } from 'node:test'
import { randomPlay } from './hour.mjs'

// `make play-hour` goes on for an hour.
it('random play for half a minute: no error of the page, no disagreement, and records give what the server says', async (t) => {
  const done = await randomPlay({ minutes: 0.5, report: (line) => t.diagnostic(line) })
  assert.ok(done.actions > 10, JSON.stringify(done))
})
