import { Problem, storage } from './problem.js'
import { randomSecret } from './random.js'
import type { components } from './schema.gen.js'
import type { Kept, Store } from './session.js'

type Schemas = components['schemas']
type Player = Schemas['Player']
/** How one signs in: exactly one of a device's secret, an address with its password, and the tokens of Apple and Google. */
export type Proof = Schemas['NewSession']

interface Wires {
  store: Store
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** A request that shows by itself who it is for. Throws a Problem. */
  post<T>(path: string, body: unknown): Promise<T>
  /** Ends a session at the server. */
  end(session: string, token: string): Promise<void>
  /** The server's time. */
  now(): number
  /** Another player, or nobody, is signed in. */
  changed(): void
  /** There is a new access token. */
  renewed(): void
}

/** A token ends a little before its time, so that it does not on its way. */
const margin = 20_000
/** Whoever is kept out is not asked about again before this. */
const keptOutFor = 10_000

interface Access {
  token: string
  /** By the server's clock. */
  until: number
  session: string
}

const accessOf = (session: Schemas['Session']): Access => ({
  token: session.accessToken, until: Date.parse(session.expiresAt), session: session.sessionId,
})

const renewal = ({ refreshToken, nextRefreshToken }: Kept) => (nextRefreshToken ? { refreshToken, nextRefreshToken } : { refreshToken })

/** Who is signed in on this device, and how it stays so. */
export class Account {
  readonly #wires: Wires
  readonly #onPlayer = new Set<(player: Player | null) => void>()
  readonly #onKeptOut = new Set<(problem: Problem | null) => void>()
  readonly #stopWatching: () => void
  #access: Access | null = null
  #player: Player | null = null
  #keptOut: { problem: Problem; since: number } | null = null
  #renewing: Promise<string | null> | null = null
  #joining: Promise<Player> | null = null
  /** What is signed in or out one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  /** Counts sign-ins and sign-outs: an answer to what was asked before is too late. */
  #era = 0
  /** What the store did not take; until it does, this counts. */
  #unkept: { kept: Kept | null } | null = null

  constructor(wires: Wires) {
    this.#wires = wires
    this.#stopWatching = wires.store.watch?.(() => void this.#alone(() => this.#look()).catch(() => undefined)) ?? (() => {})
  }

  get player(): Player | null {
    return this.#player
  }

  get session(): string | null {
    return this.#access?.session ?? null
  }

  get keptOut(): Problem | null {
    return this.#keptOut?.problem ?? null
  }

  onPlayer(listener: (player: Player | null) => void): () => void {
    this.#onPlayer.add(listener)
    return () => this.#onPlayer.delete(listener)
  }

  onKeptOut(listener: (problem: Problem | null) => void): () => void {
    this.#onKeptOut.add(listener)
    return () => this.#onKeptOut.delete(listener)
  }

  close(): void {
    this.#stopWatching()
  }

  async update(player: Player): Promise<void> {
    if (player.id !== this.#player?.id) return
    this.#know(player)
    await this.#alone(async () => {
      const kept = await this.#read()
      if (kept?.player?.id === player.id) await this.#write({ ...kept, player })
    })
  }

  async start(): Promise<Player | null> {
    this.#know((await this.#read())?.player ?? null)
    return this.#player
  }

  /** A valid access token that is not the refused one; null if nobody is signed in. */
  token(refused: string | null = null): Promise<string | null> {
    const access = this.#access
    if (access && access.token !== refused && access.until - margin > this.#wires.now()) return Promise.resolve(access.token)
    const { problem, since } = this.#keptOut ?? {}
    if (problem && this.#wires.now() - since! < keptOutFor) return Promise.reject(problem)
    this.#renewing ??= this.#alone(() => this.#renew()).finally(() => (this.#renewing = null))
    return this.#renewing
  }

  guest(body: Schemas['NewGuest']): Promise<Player> {
    this.#joining ??= this.#join(body).finally(() => (this.#joining = null))
    return this.#joining
  }

  async #join(body: Schemas['NewGuest']): Promise<Player> {
    if (await this.token()) return this.#player!
    return this.#alone(async () => {
      // Another tab may have been quicker.
      if (await this.#renew()) return this.#player!
      const era = ++this.#era
      // Kept before it is sent: if the answer is lost, the guest is found by it, and no second one made.
      const deviceSecret = body.deviceSecret ?? randomSecret() ?? undefined
      if (deviceSecret) await this.#write({ deviceSecret })
      const guest = await this.#wires.post<Schemas['Guest']>('/v1/guests', deviceSecret ? { ...body, deviceSecret } : body)
      return this.#accept(era, guest, { deviceSecret: guest.deviceSecret })
    })
  }

  signIn(proof: Proof): Promise<Player> {
    return this.#alone(async () => {
      const era = ++this.#era
      const session = await this.#wires.post<Schemas['Session']>('/v1/sessions', proof)
      return this.#accept(era, session, proof.deviceSecret ? { deviceSecret: proof.deviceSecret } : {})
    })
  }

  async signOut(): Promise<void> {
    let access = this.#access
    let kept: Kept | null = null
    const forgotten = this.#alone(async () => {
      // What was renewed while this waited for its turn.
      access = this.#access ?? access
      kept = await this.#read().catch(() => null)
      await this.#write(null)
      this.#leave()
    })
    this.#leave()
    await forgotten
    try {
      const session = access ?? (await this.#refreshed(kept))
      if (session) await this.#wires.end(session.session, session.token)
    } catch {
      // The server cannot be reached, or knows already. Here nobody is signed in.
    }
  }

  /** Nobody is signed in from now on. */
  #leave(): void {
    this.#era++
    this.#access = null
    this.#letIn()
    this.#know(null)
  }

  async #refreshed(kept: Kept | null): Promise<Access | null> {
    return kept?.refreshToken ? accessOf(await this.#wires.post<Schemas['Session']>('/v1/sessions/refresh', renewal(kept))) : null
  }

  /** One after the other, in this process and among those that share the store. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#wires.exclusively(work))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #renew(): Promise<string | null> {
    const era = this.#era
    // Read each time: another tab may have renewed meanwhile.
    let kept = await this.#read()
    while (kept) {
      const { refreshToken, deviceSecret } = kept
      if (refreshToken && !kept.nextRefreshToken) {
        // Kept before it is sent: if the answer is lost, the same request brings the same.
        const nextRefreshToken = randomSecret()
        if (nextRefreshToken) await this.#write((kept = { ...kept, nextRefreshToken }))
      }
      for (const [path, proof] of [['/v1/sessions/refresh', refreshToken && renewal(kept)], ['/v1/sessions', deviceSecret && { deviceSecret }]] as const) {
        if (!proof) continue
        try {
          const session = await this.#wires.post<Schemas['Session']>(path, proof)
          await this.#accept(era, session, deviceSecret ? { deviceSecret } : {})
          return session.accessToken
        } catch (err) {
          if (!(err instanceof Problem)) throw err
          if (err.code === 'suspended') this.#keepOut(err)
          if (err.status !== 401) throw err
        }
      }
      if (era !== this.#era) return null
      // Tabs that cannot wait for each other may have used a token at the same time.
      const now = await this.#read()
      if (now && (now.refreshToken !== refreshToken || now.nextRefreshToken !== kept.nextRefreshToken)) kept = now
      else break
    }
    if (era !== this.#era) return null
    this.#access = null
    if (kept) await this.#write(null)
    this.#know(null)
    return null
  }

  async #accept(era: number, session: Schemas['Session'], kept: Kept): Promise<Player> {
    // Signed out meanwhile.
    if (era !== this.#era) throw new Problem('session_ended', 0, 'You have been signed out.')
    this.#access = accessOf(session)
    await this.#write({ ...kept, refreshToken: session.refreshToken, player: session.player })
    this.#letIn()
    this.#know(session.player)
    this.#wires.renewed()
    return session.player
  }

  #letIn(): void {
    if (!this.#keptOut) return
    this.#keptOut = null
    for (const listener of this.#onKeptOut) listener(null)
  }

  #keepOut(problem: Problem): void {
    this.#access = null
    const told = this.#keptOut !== null
    this.#keptOut = { problem, since: this.#wires.now() }
    if (!told) for (const listener of this.#onKeptOut) listener(problem)
  }

  #know(player: Player | null): void {
    const before = this.#player
    this.#player = player
    const other = before?.id !== player?.id
    if (other) this.#wires.changed()
    if (other || JSON.stringify(before) !== JSON.stringify(player)) for (const listener of this.#onPlayer) listener(player)
  }

  /** Another tab has written: in its turn, since what this one is writing is no news to it. */
  async #look(): Promise<void> {
    const player = (await this.#read())?.player ?? null
    if (player?.id !== this.#player?.id) this.#access = null
    this.#know(player)
  }

  async #read(): Promise<Kept | null> {
    if (this.#unkept) {
      const { kept } = this.#unkept
      await this.#write(kept)
      return kept
    }
    try {
      return await this.#wires.store.read()
    } catch (err) {
      throw new Problem(storage, 0, String(err))
    }
  }

  /** Where nothing can be kept, one is signed in until the process ends. */
  async #write(kept: Kept | null): Promise<void> {
    try {
      await this.#wires.store.write(kept)
      this.#unkept = null
    } catch {
      this.#unkept = { kept }
    }
  }
}
