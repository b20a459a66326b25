// People who buy.
import assert from 'node:assert/strict'

export { Stripe } from '../../scripts/stripe.mjs'

/** A player who buys; answers the order. */
export async function buy(server, name, sku) {
  const post = async (path, data, headers = {}) => {
    const response = await fetch(server.url + path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(data) })
    assert.ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`)
    return response.json()
  }
  const { accessToken } = await post('/v1/guests', { name })
  const { order } = await post('/v1/shop/orders', { sku, provider: 'stripe', currency: 'EUR' }, { authorization: `Bearer ${accessToken}`, 'Idempotency-Key': name })
  return order
}
