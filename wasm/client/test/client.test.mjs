import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, Client } from '../dist/index.js'
import { GameServer } from '../../../scripts/server.mjs'

let server
before(async () => (server = await GameServer.start()))
after(() => server.stop())

test('a guest is somebody, and hears on the socket what they are taken up with', async () => {
  const client = new Client({ url: server.url })
  const player = await client.guest({ name: 'Ana' })
  assert.equal((await ask(client.api.GET('/v1/me'))).id, player.id)
  const heard = await new Promise((resolve, reject) => {
    const stop = client.stream.follow('engagement', {
      seq: () => 0,
      frame(frame) {
        stop()
        resolve(frame)
      },
      refused: reject,
    })
  })
  assert.equal(heard.type, 'engagement')
  assert.equal(heard.engagement.kind, 'none')
})
