// The project's own Stripe, from server/internal/stripe/stripetest, for tests in a browser.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The project's own Stripe, which keeps what it is asked for and tells of it. `hook` is where. */
export class Stripe {
  static async start() {
    const stripe = new Stripe()
    const root = fileURLToPath(new URL('../', import.meta.url))
    stripe.child = spawn('go', ['run', './server/internal/stripe/stripetest/teller'], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
    stripe.lines = createInterface({ input: stripe.child.stdout })[Symbol.asyncIterator]()
    const { url, key, secret } = JSON.parse((await stripe.lines.next()).value)
    stripe.settings = { CUATROLA_STRIPE_SECRET_KEY: key, CUATROLA_STRIPE_WEBHOOK_SECRETS: secret, CUATROLA_STRIPE_API_URL: url }
    return stripe
  }

  /** Does something about an order, and tells the server of it and of all that was done since, such as on the page where one pays. */
  async do(what, order = '-') {
    this.child.stdin.write(`${what} ${order} ${this.hook}\n`)
    assert.equal(JSON.parse((await this.lines.next()).value), 'done')
  }

  async stop() {
    const gone = new Promise((resolve) => this.child.once('exit', resolve))
    this.child.stdin.end()
    await gone
  }
}
