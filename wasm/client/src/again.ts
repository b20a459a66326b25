import { Problem } from './problem.js'

/** How long something is tried. */
export interface Patience {
  /** Ends the trying; what is thrown then is the signal's reason. */
  signal?: AbortSignal
  /** For how many milliseconds it is tried again at most; left out, for a minute. */
  patience?: number
}

/**
 * Does `work` again and again while it fails with a problem that passes, longer apart each time, as the server says where it
 * says so. Only for what is safe to repeat: reading, and whatever the contract calls one action however often it is sent.
 *
 *     const me = await persist(() => ask(client.api.GET('/v1/me')))
 */
export async function persist<T>(work: () => Promise<T>, { signal, patience = 60_000 }: Patience = {}): Promise<T> {
  const until = Date.now() + patience
  for (let n = 0; ; n++) {
    if (signal?.aborted) throw reasonOf(signal)
    try {
      return await work()
    } catch (err) {
      if (!(err instanceof Problem) || !err.passing) throw err
      // Never at the same moment as everybody else's.
      const wait = err.retryAfter !== null ? err.retryAfter * 1000 : Math.min(4000, 200 * 2 ** n) * (0.5 + Math.random() / 2)
      if (Date.now() + wait > until) throw err
      await pause(wait, signal)
    }
  }
}

/** Why a signal was given: React Native's have no reason, nor a DOMException to make one of. */
export function reasonOf(signal: AbortSignal): unknown {
  return (signal.reason as unknown) ?? Object.assign(new Error('This was called off.'), { name: 'AbortError' })
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const off = () => {
      clearTimeout(timer)
      reject(reasonOf(signal!))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', off)
      resolve()
    }, ms)
    signal?.addEventListener('abort', off)
  })
}
