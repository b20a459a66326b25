import type { components } from './schema.gen.js'

type Schemas = components['schemas']

/** What lets this device back in. Keep it where only this device reads it. */
export interface Kept {
  /** Of a guest: good until the account has another way in, and after that too. */
  deviceSecret?: string
  /** Good once: each renewal brings the next. */
  refreshToken?: string
  /** What the refresh token is being exchanged for, so that the exchange can be repeated. */
  nextRefreshToken?: string
  /** Whose it is; not there while a guest is being made. */
  player?: Schemas['Player']
}

/** Where `Kept` lies between two starts of the app. */
export interface Store {
  /** What was written last; null if nothing was. It throws if that cannot be known. */
  read(): Kept | null | Promise<Kept | null>
  /** Puts `kept` in the place of what was there; null leaves nothing. It throws if it cannot be kept. */
  write(kept: Kept | null): void | Promise<void>
  /** Calls back whenever another tab or process has written. Answers how to stop. */
  watch?(changed: () => void): () => void
}

/** A store that forgets with the process. */
export function memoryStore(): Store {
  let kept: Kept | null = null
  return { read: () => kept, write: (next) => void (kept = next) }
}

/** For a page: what it keeps, and how its tabs wait for each other. Part of the options of a Client. */
export interface BrowserSession {
  store: Store
  exclusively<T>(work: () => Promise<T>): Promise<T>
}

/**
 * A session that all tabs of a page share, in `localStorage` under the key; where a page may keep nothing, in its memory.
 *
 *     const client = new Client({ ...browserSession('my-game.session') })
 */
export function browserSession(key: string): BrowserSession {
  const memory = memoryStore()
  return {
    store: {
      read() {
        const there = storageOf()
        if (!there) return memory.read()
        try {
          return JSON.parse(there.getItem(key) ?? 'null') as Kept | null
        } catch {
          // Nothing that this package has written.
          return null
        }
      },
      write(kept) {
        const there = storageOf()
        if (!there) void memory.write(kept)
        else if (kept) there.setItem(key, JSON.stringify(kept))
        else there.removeItem(key)
      },
      watch(changed) {
        // A null key: everything was cleared.
        const hear = (event: StorageEvent) => (event.key === key || event.key === null) && changed()
        addEventListener('storage', hear)
        return () => removeEventListener('storage', hear)
      },
    },
    async exclusively<T>(work: () => Promise<T>): Promise<T> {
      // Not there on a plain-HTTP page of a home network.
      const { locks } = navigator as { locks?: LockManager }
      return locks ? ((await locks.request(key, work)) as T) : work()
    },
  }
}

function storageOf(): Storage | null {
  try {
    return localStorage
  } catch {
    return null
  }
}
