import { Refusal } from '../game/types'
import { readJSON, writeJSON } from '../settings'
import type { components } from './schema.gen'

type Schemas = components['schemas']
export type ServerView = Schemas['View']
export type ServerRecord = Schemas['MatchRecord']
/** A part of the game that is stopped for a while, and what players are told. */
export type StoppedPart = Schemas['StoppedPart']

/** The codes under which this page tells that no answer came at all. */
export const unreachable = 'unreachable'

/** How far the server's clock is ahead of this device's, in milliseconds, as far as it matters to a person. */
let clockAhead = 0

/** The server's API as one player: signs up as a guest at the first need and renews the access token. */
export class Server {
  #token: string | null = null
  #signingIn: Promise<string> | null = null

  /** Whether a server answers where the page came from. */
  async reachable(): Promise<boolean> {
    try {
      return (await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(4000) })).ok
    } catch {
      return false
    }
  }

  /** What is stopped for a while; nothing if that cannot be asked. */
  async stopped(): Promise<readonly StoppedPart[]> {
    try {
      return (await send<Schemas['Status']>('GET', '/v1/status')).stopped
    } catch {
      return []
    }
  }

  /** A moment by the server's clock as this device's clock will show it. */
  localTime(moment: number | null): number | null {
    return moment === null ? null : moment - clockAhead
  }

  /** A code that shows the operator's support whose account this is. */
  supportCode(): Promise<Schemas['SupportCode']> {
    return this.#call('POST', '/v1/me/support-code')
  }

  createMatch(body: Schemas['NewMatch'], key: string): Promise<ServerView> {
    return this.#call('POST', '/v1/matches', body, { 'Idempotency-Key': key })
  }

  seed(id: string, seed: string): Promise<ServerView> {
    return this.#call('POST', `/v1/matches/${id}/seed`, { seed })
  }

  act(id: string, seq: number, action: string): Promise<ServerView> {
    return this.#call('POST', `/v1/matches/${id}/actions`, { seq, action })
  }

  match(id: string): Promise<ServerView> {
    return this.#call('GET', `/v1/matches/${id}`)
  }

  record(id: string): Promise<ServerRecord> {
    return this.#call('GET', `/v1/matches/${id}/record`)
  }

  /** Follows a mail's link that confirms an address. */
  verifyEmail(token: string): Promise<void> {
    return send('POST', '/v1/email/verify', { token })
  }

  /** Follows a mail's link to another password. */
  resetPassword(token: string, password: string): Promise<void> {
    return send('POST', '/v1/email/reset', { token, password })
  }

  /** A valid access token, for the socket. `renew` throws the present one away. */
  token(renew = false): Promise<string> {
    if (renew) this.#token = null
    if (this.#token) return Promise.resolve(this.#token)
    // One sign-in at a time: two would make two guests.
    this.#signingIn ??= this.#signIn().finally(() => (this.#signingIn = null))
    return this.#signingIn
  }

  async #signIn(): Promise<string> {
    // Read each time: another tab may have refreshed the session meanwhile.
    const kept = readJSON<Device>('device')
    const session =
      (kept?.refreshToken && (await accepted('/v1/sessions/refresh', { refreshToken: kept.refreshToken }))) ||
      (kept?.deviceSecret && (await accepted('/v1/sessions', { deviceSecret: kept.deviceSecret }))) ||
      // The server does not know this device any more: the player starts anew.
      (await send<Schemas['Guest']>('POST', '/v1/guests', {}))
    const deviceSecret = 'deviceSecret' in session ? session.deviceSecret : kept?.deviceSecret
    writeJSON('device', { deviceSecret, refreshToken: session.refreshToken })
    return (this.#token = session.accessToken)
  }

  async #call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const authorised = async (renew: boolean) =>
      send<T>(method, path, body, { ...headers, Authorization: 'Bearer ' + (await this.token(renew)) })
    try {
      return await authorised(false)
    } catch (err) {
      if (err instanceof Refusal && err.status === 401) return authorised(true)
      throw err
    }
  }
}

/** What lets this device back in. */
interface Device {
  deviceSecret?: string
  refreshToken?: string
}

/** The session that the server gives for it, or null if it accepts it no more. */
async function accepted(path: string, proof: Device): Promise<Schemas['Session'] | null> {
  try {
    return await send<Schemas['Session']>('POST', path, proof)
  } catch (err) {
    if (err instanceof Refusal && err.status === 401) return null
    throw err
  }
}

async function send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      cache: 'no-store',
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    })
  } catch {
    throw new Refusal(unreachable)
  }
  const date = Date.parse(response.headers.get('Date') ?? '')
  // The header has whole seconds, and the answer took its time.
  if (!Number.isNaN(date)) clockAhead = Math.abs(date - Date.now()) < 3000 ? 0 : date - Date.now()
  if (response.status === 204) return undefined as T
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok && answer !== null) return answer as T
  const code = (answer as { code?: unknown } | null)?.code
  // Something between here and the server may answer in its place.
  throw new Refusal(typeof code === 'string' ? code : unreachable, response.status, (answer ?? {}) as Record<string, unknown>)
}
