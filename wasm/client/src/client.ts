import createClient, { type Client as Api } from 'openapi-fetch'
import { Problem, problemOf, unreachable } from './problem.js'
import type { components, paths } from './schema.gen.js'
import { memoryStore, type Kept, type Store } from './session.js'
import { Stream } from './stream.js'

export type Schemas = components['schemas']
/** How one signs in: exactly one of a device's secret, an address with its password, and the tokens of Apple and Google. */
export type Proof = Schemas['NewSession']

export interface ClientOptions {
  /** Where the server is, such as `https://play.example.org`; left out, where the page came from. */
  url?: string
  /** What this device keeps between two starts; left out, nothing. */
  store?: Store
  fetch?: typeof fetch
  WebSocket?: typeof WebSocket
  /** Milliseconds after which a request has failed. */
  patience?: number
  /** Runs `work` while no other tab or process that shares the store runs it. */
  exclusively?: <T>(work: () => Promise<T>) => Promise<T>
}

/**
 * A server, as one player. Requests of `api` carry the access token, which is renewed when it is needed; nobody signed in,
 * they are sent without, and refused where a player is required.
 */
export class Client {
  readonly url: string
  /** Every request of the contract, with its types: `await ask(client.api.GET('/v1/me'))`. */
  readonly api: Api<paths>
  /** The socket. It opens with the first topic that is followed and comes back by itself. */
  readonly stream: Stream
  readonly #store: Store
  readonly #fetch: typeof fetch
  readonly #patience: number
  readonly #exclusively: <T>(work: () => Promise<T>) => Promise<T>
  readonly #listeners = new Set<(player: Schemas['Player'] | null) => void>()
  #token: { value: string; until: number } | null = null
  #renewing: Promise<string | null> | null = null
  #player: Schemas['Player'] | null = null
  #clockAhead = 0

  constructor({ url = '', store = memoryStore(), patience = 15_000, ...options }: ClientOptions = {}) {
    this.url = url.replace(/\/$/, '')
    this.#store = store
    // Not bound to anything: a browser's fetch wants its window.
    this.#fetch = options.fetch ?? ((...args) => fetch(...args))
    this.#patience = patience
    this.#exclusively = options.exclusively ?? ((work) => work())
    this.api = createClient<paths>({ baseUrl: this.url, fetch: (request) => this.#send(request) })
    this.stream = new Stream({
      url: () => socketUrl(this.url),
      token: (renew) => this.token(renew),
      open: (address) => new (options.WebSocket ?? WebSocket)(address),
    })
  }

  /** Who is signed in, as far as this device knows; null while nobody is, or before `start` has looked. */
  get player(): Schemas['Player'] | null {
    return this.#player
  }

  /** Calls back whenever somebody else, or nobody, is signed in. Answers how to stop that. */
  onPlayer(listener: (player: Schemas['Player'] | null) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Looks who was signed in last on this device, without asking the server. */
  async start(): Promise<Schemas['Player'] | null> {
    const kept = await this.#store.read()
    this.#know(kept?.player ?? null)
    return this.#player
  }

  /** Makes a guest, unless somebody is signed in already. */
  async guest(body: Schemas['NewGuest'] = {}): Promise<Schemas['Player']> {
    if (await this.token()) return this.#player!
    return this.#exclusively(async () => {
      const guest = await this.#plain<Schemas['Guest']>('/v1/guests', body)
      return this.#accept(guest, { deviceSecret: guest.deviceSecret })
    })
  }

  /** Signs in; whoever was signed in before on this device is not any more. Throws a Problem. */
  async signIn(proof: Proof): Promise<Schemas['Player']> {
    return this.#exclusively(async () => {
      const session = await this.#plain<Schemas['Session']>('/v1/sessions', proof)
      return this.#accept(session, proof.deviceSecret ? { deviceSecret: proof.deviceSecret } : {})
    })
  }

  /** Ends this device's session, here at once and at the server if it can be reached. A guest without another way in is lost. */
  async signOut(): Promise<void> {
    const token = this.#token?.value
    const session = await this.#store.read()
    this.stream.restart()
    await this.#forget()
    if (token && session) {
      const id = sessionOf(token)
      if (id) await this.#fetch(`${this.url}/v1/sessions/${id}`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } }).catch(() => undefined)
    }
  }

  /** A valid access token, null if nobody is signed in. `renew` does not trust the present one. */
  async token(renew = false): Promise<string | null> {
    if (renew) this.#token = null
    // A little before its time, so that it does not end on its way.
    if (this.#token && this.#token.until - 20_000 > this.now()) return this.#token.value
    this.#renewing ??= this.#exclusively(() => this.#renew()).finally(() => (this.#renewing = null))
    return this.#renewing
  }

  /** The server's time, in milliseconds since 1970, as far as its answers have told it. */
  now(): number {
    return Date.now() + this.#clockAhead
  }

  /** A moment of the server's as this device's clock will show it. */
  localTime(moment: string | null): number | null {
    return moment === null ? null : Date.parse(moment) - this.#clockAhead
  }

  async #renew(): Promise<string | null> {
    // Read each time: another tab may have renewed meanwhile.
    const kept = await this.#store.read()
    if (!kept) {
      this.#know(null)
      return null
    }
    for (const [path, proof] of [
      ['/v1/sessions/refresh', kept.refreshToken && { refreshToken: kept.refreshToken }],
      ['/v1/sessions', kept.deviceSecret && { deviceSecret: kept.deviceSecret }],
    ] as const) {
      if (!proof) continue
      try {
        const session = await this.#plain<Schemas['Session']>(path, proof)
        await this.#accept(session, kept.deviceSecret ? { deviceSecret: kept.deviceSecret } : {})
        return session.accessToken
      } catch (err) {
        if (!(err instanceof Problem && err.status === 401)) throw err
      }
    }
    await this.#forget()
    return null
  }

  async #accept(session: Schemas['Session'], kept: Kept): Promise<Schemas['Player']> {
    await this.#store.write({ ...kept, refreshToken: session.refreshToken, player: session.player })
    this.#token = { value: session.accessToken, until: Date.parse(session.expiresAt) }
    const other = this.#player?.id !== session.player.id
    this.#know(session.player)
    if (other) this.stream.restart()
    return session.player
  }

  async #forget(): Promise<void> {
    this.#token = null
    await this.#store.write(null)
    this.#know(null)
  }

  #know(player: Schemas['Player'] | null): void {
    const before = this.#player
    this.#player = player
    if (before?.id !== player?.id) for (const listener of this.#listeners) listener(player)
  }

  /** A request that shows who it is for by itself. */
  async #plain<T>(path: string, body: unknown): Promise<T> {
    const response = await this.#reach(new Request(absolute(this.url + path), {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    }))
    const answer: unknown = await response.json().catch(() => null)
    if (!response.ok || answer === null) throw problemOf(response.status, answer)
    return answer as T
  }

  async #send(request: Request): Promise<Response> {
    const token = await this.token()
    if (!token) return this.#reach(request)
    const again = request.clone()
    request.headers.set('Authorization', `Bearer ${token}`)
    const response = await this.#reach(request)
    if (response.status !== 401) return response
    // Ended from elsewhere, or signed with keys that are gone.
    const renewed = await this.token(true)
    if (!renewed) return response
    again.headers.set('Authorization', `Bearer ${renewed}`)
    return this.#reach(again)
  }

  async #reach(request: Request): Promise<Response> {
    let response: Response
    try {
      response = await this.#fetch(request, { cache: 'no-store', signal: AbortSignal.any([request.signal, AbortSignal.timeout(this.#patience)]) })
    } catch (err) {
      if (request.signal.aborted) throw err
      throw new Problem(unreachable, 0, String(err))
    }
    const date = Date.parse(response.headers.get('Date') ?? '')
    // The header has whole seconds, and the answer took its time.
    if (!Number.isNaN(date)) this.#clockAhead = Math.abs(date - Date.now()) < 3000 ? 0 : date - Date.now()
    return response
  }
}

const absolute = (url: string) => (typeof location === 'undefined' ? url : new URL(url, location.href).href)

function socketUrl(url: string): string {
  const address = new URL(absolute(url + '/v1/stream'))
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  return address.href
}

/** Which session an access token belongs to. */
function sessionOf(token: string): string | null {
  try {
    const claims = JSON.parse(atob(token.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/'))) as { sid?: string }
    return claims.sid ?? null
  } catch {
    return null
  }
}
