import createClient, { type Client as Api } from 'openapi-fetch'
import { Account, type Proof } from './account.js'
import { persist, type Patience } from './again.js'
import { Faults, type Fault } from './faults.js'
import { FollowedMatch, type MatchListener } from './match.js'
import { ask, Problem, problemOf } from './problem.js'
import { randomKey } from './random.js'
import { reach, type Fetch } from './reach.js'
import type { components, paths } from './schema.gen.js'
import { memoryStore, type Store } from './session.js'
import { Stream, type SocketLike } from './stream.js'

/** What the contract's messages are made of: `Schemas['View']`, `Schemas['Player']`, … */
export type Schemas = components['schemas']

export interface ClientOptions {
  /** Where the server is, such as `https://play.example.org`; left out, where the page came from. */
  url?: string
  /** What this device keeps between two starts; left out, nothing. */
  store?: Store
  /** What this client is called in the operator's log, with its version: `web 1.4.0`. */
  name?: string
  /** Sends requests; left out, the platform's own. */
  fetch?: Fetch
  /** Opens sockets; left out, the platform's own, which Node has from version 22 on. */
  WebSocket?: new (url: string) => SocketLike
  /** Milliseconds after which a request has failed, or a socket that gives no sign of life when asked; left out, 15 seconds. */
  patience?: number
  /** Milliseconds of silence before a socket is asked whether it lives; left out, 20 seconds. */
  silence?: number
  /** Runs `work` while no other tab or process that shares the store runs it. */
  exclusively?: <T>(work: () => Promise<T>) => Promise<T>
}

/**
 * A server, as one player. Requests of `api` carry the access token, which is renewed when it is needed; nobody signed in,
 * they are sent without, and refused where a player is required.
 */
export class Client {
  readonly url: string
  /** Every request of the contract, with its types: `await ask(client.api.GET('/v1/me'))`. Each is sent once. */
  readonly api: Api<paths>
  /** The socket. It opens with the first topic that is followed and comes back by itself. */
  readonly stream: Stream
  readonly #fetch: Fetch
  readonly #patience: number
  readonly #account: Account
  readonly #faults: Faults
  #clockAhead = 0

  constructor({ url = '', store = memoryStore(), patience = 15_000, ...options }: ClientOptions = {}) {
    this.url = url.replace(/\/$/, '')
    // Not bound to anything: a browser's fetch wants its window.
    this.#fetch = options.fetch ?? ((...args) => fetch(...args))
    this.#patience = patience
    this.api = createClient<paths>({ baseUrl: this.url, fetch: (request) => this.#send(request) })
    this.stream = new Stream({
      url: () => absolute(this.url + '/v1/stream').replace(/^http/, 'ws'),
      token: (refused) => this.#account.token(refused),
      ready: () => void (options.WebSocket ?? platformSocket()),
      open: (address) => new (options.WebSocket ?? platformSocket())(address),
      patience,
      ...(options.silence !== undefined && { silence: options.silence }),
    })
    const client = (options.name ?? '@cuatrola/client').slice(0, 60)
    this.#faults = new Faults(async (fault) => {
      if (await this.token()) await ask(this.api.POST('/v1/client-faults', { body: { ...fault, client } }))
    })
    this.#account = new Account({
      store,
      exclusively: options.exclusively ?? ((work) => work()),
      post: (path, body) => this.#post(path, body),
      end: async (session, token) => {
        const headers = { Authorization: `Bearer ${token}` }
        await this.#reach(new Request(absolute(`${this.url}/v1/sessions/${session}`), { method: 'DELETE', headers }))
      },
      now: () => this.now(),
      changed: () => this.stream.restart(),
      renewed: () => this.stream.wake(),
    })
  }

  /** Who is signed in, as far as this device knows; null while nobody is, or before `start` has looked. */
  get player(): Schemas['Player'] | null {
    return this.#account.player
  }

  /**
   * Calls back whenever somebody else, or nobody, is signed in, be it in another tab; and when something about the player has
   * changed, such as the name. Answers how to stop that.
   */
  onPlayer(listener: (player: Schemas['Player'] | null) => void): () => void {
    return this.#account.onPlayer(listener)
  }

  /** Why the operator keeps this player out (`suspended`, with `suspension` in its body); null while that is not so. */
  get keptOut(): Problem | null {
    return this.#account.keptOut
  }

  /** Calls back whenever the operator keeps this player out, and with null when that is over. Answers how to stop that. */
  onKeptOut(listener: (problem: Problem | null) => void): () => void {
    return this.#account.onKeptOut(listener)
  }

  /** Looks who was signed in last on this device, without asking the server. Throws a Problem if that cannot be read. */
  start(): Promise<Schemas['Player'] | null> {
    return this.#account.start()
  }

  /**
   * Puts what an answer said of the player who is signed in in the place of what is known: after a change, or to know it anew.
   * Of anybody else it changes nothing.
   *
   *     await client.update(await ask(client.api.PATCH('/v1/me', { body: { name: 'Ana' } })))
   */
  update(player: Schemas['Player']): Promise<void> {
    return this.#account.update(player)
  }

  /** Which of the player's sessions this one is, as `GET /v1/sessions` lists them; null before the first request of a player's. */
  get session(): string | null {
    return this.#account.session
  }

  /**
   * Makes a guest, unless somebody is signed in already. However often it is called, and whatever was lost on the way, it is
   * one guest. Throws a Problem.
   */
  guest(body: Schemas['NewGuest'] = {}): Promise<Schemas['Player']> {
    return this.#account.guest(body)
  }

  /** Signs in; whoever was signed in before on this device is not any more. Throws a Problem. */
  signIn(proof: Proof): Promise<Schemas['Player']> {
    return this.#account.signIn(proof)
  }

  /** Ends this device's session, here at once and at the server if it can be reached. A guest without another way in is lost. */
  signOut(): Promise<void> {
    return this.#account.signOut()
  }

  /** A valid access token, null if nobody is signed in. `refused` is one that the server did not take. Throws a Problem. */
  token(refused: string | null = null): Promise<string | null> {
    return this.#account.token(refused)
  }

  /**
   * Makes a match against the machine: one, however often it has to be sent until an answer comes. The `key` names it, for
   * one that is tried again after a restart. Throws a Problem.
   */
  createMatch(body: Schemas['NewMatch'], { key = randomKey(), ...patience }: Patience & { key?: string } = {}): Promise<Schemas['View']> {
    return persist(() => ask(this.api.POST('/v1/matches', { params: { header: { 'Idempotency-Key': key } }, body, ...signalOf(patience) })), patience)
  }

  /**
   * Gives the seat's seed for the deals, 1 to 64 bytes, chosen at random and kept: the record shows it again. Sent until an
   * answer comes. Throws a Problem; `seed_conflict` where the match began without it.
   */
  seed(matchId: string, seed: string, patience: Patience = {}): Promise<Schemas['View']> {
    const params = { path: { matchId } }
    return persist(() => ask(this.api.POST('/v1/matches/{matchId}/seed', { params, body: { seed }, ...signalOf(patience) })), patience)
  }

  /**
   * Does something in a match on the view with the number `seq`, and answers with the view behind it. Sent until an answer
   * comes: the same action on the same view is one action. Throws a Problem; `stale_sequence` where the match has moved on.
   */
  act(matchId: string, seq: number, action: string, patience: Patience = {}): Promise<Schemas['View']> {
    const params = { path: { matchId } }
    return persist(() => ask(this.api.POST('/v1/matches/{matchId}/actions', { params, body: { seq, action }, ...signalOf(patience) })), patience)
  }

  /** Follows a match that one plays in: its events, each once and in order, and how it stands. `seq` is the last that one has. */
  followMatch(matchId: string, listener: MatchListener, seq = 0): FollowedMatch {
    return new FollowedMatch(this, matchId, listener, seq)
  }

  /**
   * Tells the operator that something is wrong with this client: above all that the module allowed what the server refuses
   * (`disagreement`). Each fault is told once, in the background; it never throws, and nothing comes of it if nobody is signed in.
   */
  reportFault(fault: Fault): void {
    this.#faults.report(fault)
  }

  /** The server's time, in milliseconds since 1970, as far as its answers have told it. */
  now(): number {
    return Date.now() + this.#clockAhead
  }

  /** A moment of the server's as this device's clock will show it. */
  localTime(moment: string | null): number | null {
    return moment === null ? null : Date.parse(moment) - this.#clockAhead
  }

  /** Lets go of everything: the socket, and what was heard of other tabs. Who is signed in stays so. */
  close(): void {
    this.stream.end()
    this.#account.close()
  }

  /** A request that shows by itself who it is for. */
  async #post<T>(path: string, body: unknown): Promise<T> {
    const response = await this.#reach(new Request(absolute(this.url + path), {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    }))
    const answer = await jsonOf(response)
    if (!response.ok || answer === null) throw problemOf(response.status, answer, response.headers)
    return answer as T
  }

  async #send(request: Request): Promise<Response> {
    let token: string | null
    try {
      token = await this.token()
    } catch (err) {
      if (!(err instanceof Problem) || err.status !== 403) throw err
      // Kept out of what needs a player, and of nothing else.
      const response = await this.#reach(request)
      if (response.status === 401) throw err
      return response
    }
    if (!token) return this.#reach(request)
    const again = request.clone()
    request.headers.set('Authorization', `Bearer ${token}`)
    const response = await this.#reach(request)
    if (response.status !== 401) return response
    // A wrong password is a 401 too, and says nothing about a session.
    const { code } = problemOf(401, await jsonOf(response.clone()))
    if (!lost.has(code)) return response
    const renewed = await this.token(token)
    if (!renewed) return response
    again.headers.set('Authorization', `Bearer ${renewed}`)
    return this.#reach(again)
  }

  async #reach(request: Request): Promise<Response> {
    const sent = Date.now()
    const response = await reach(this.#fetch, request, this.#patience)
    const date = Date.parse(response.headers.get('Date') ?? '')
    // It was that second, at some moment between the request and the answer.
    if (!Number.isNaN(date)) this.#clockAhead = Math.min(Math.max(this.#clockAhead, date - Date.now()), date + 1000 - sent)
    return response
  }
}

/** Codes of a token that is good no more: ended from elsewhere, or signed with keys that are gone. */
const lost = new Set(['unauthenticated', 'token_expired', 'session_ended'])

const signalOf = ({ signal }: Patience) => (signal ? { signal } : {})
const jsonOf = (response: Response): Promise<unknown> => response.json().catch(() => null)
const absolute = (url: string) => (typeof location === 'undefined' || /^https?:/.test(url) ? url : new URL(url, location.href).href)

function platformSocket(): new (url: string) => SocketLike {
  const { WebSocket } = globalThis as { WebSocket?: new (url: string) => SocketLike }
  if (!WebSocket) throw new Error('There is no WebSocket here: give one with the option WebSocket.')
  return WebSocket
}
