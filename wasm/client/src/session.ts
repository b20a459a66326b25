import type { components } from './schema.gen.js'

type Schemas = components['schemas']

/** What lets this device back in. Keep it where only this device reads it. */
export interface Kept {
  /** Of a guest: good until the account has another way in, and after that too. */
  deviceSecret?: string
  /** Good once: each renewal brings the next. */
  refreshToken?: string
  /** Whose it is. */
  player?: Schemas['Player']
}

/** Where `Kept` lies between two starts of the app. */
export interface Store {
  read(): Kept | null | Promise<Kept | null>
  write(kept: Kept | null): void | Promise<void>
}

/** A store that forgets with the process. */
export function memoryStore(): Store {
  let kept: Kept | null = null
  return { read: () => kept, write: (next) => void (kept = next) }
}
