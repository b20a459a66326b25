// The wallet of somebody who has been there for a while.
import { guest } from '../../../../scripts/people.mjs'
import { open } from '../economy.mjs'
import { be } from '../harness.mjs'

async function rich(server) {
  const me = await guest(server, 'Rocío')
  await me.call('GET', '/v1/wallet') // brings the welcome gift
  await server.command(['grant', '--author', 'eva', '--reason', 'pictures', '--key', me.id, me.id, '5200'])
  await me.call('POST', '/v1/wallet/daily')
  await me.call('POST', '/v1/wallet/purchases', { item: 'vip' }, { 'Idempotency-Key': 'vip' })
  await me.call('POST', '/v1/wallet/purchases', { item: 'booster', start: true }, { 'Idempotency-Key': 'booster' })
  await me.call('POST', '/v1/wallet/purchases', { item: 'booster' }, { 'Idempotency-Key': 'another' })
  return me
}

export const shots = [
  {
    name: 'wallet',
    async open({ server, browser, visit, view }) {
      const page = await be(await visit(browser, undefined, view), await rich(server))
      await open(page, server, '/wallet')
      return page
    },
  },
  {
    name: 'wallet-daily',
    async open({ server, browser, visit, view }) {
      const page = await be(await visit(browser, undefined, view), await guest(server, 'Jordi'))
      await open(page, server, '/wallet')
      return page
    },
  },
]
