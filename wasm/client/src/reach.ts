import { reasonOf } from './again.js'
import { Problem, unreachable } from './problem.js'

/** Sends a request. */
export type Fetch = (request: Request, init?: RequestInit) => Promise<Response>

/**
 * The whole answer to a request, body and all, within `patience` milliseconds. Throws a Problem if none came, and the
 * reason of the request's own signal if that was given.
 *
 * By hand, since React Native knows neither `AbortSignal.any` nor `AbortSignal.timeout`.
 */
export function reach(send: Fetch, request: Request, patience: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { signal } = request
    const end = new AbortController()
    const settle = (done: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', off)
      done()
    }
    const fail = (why: string) => settle(() => reject(new Problem(unreachable, 0, why)))
    const off = () => {
      settle(() => reject(reasonOf(signal)))
      end.abort()
    }
    const timer = setTimeout(() => {
      fail('No answer came in time.')
      end.abort()
    }, patience)
    if (signal.aborted) return off()
    signal.addEventListener('abort', off)
    send(request, { signal: end.signal })
      // A connection may die in the middle of a body, and never say so.
      .then(async (response) => ({ response, body: await bodyOf(response) }))
      .then(
        ({ response, body }) => settle(() => resolve(whole(response, body))),
        (err: unknown) => fail(String(err)),
      )
  })
}

/** Text where it is text, since React Native is slow with bytes, or has none. */
const bodyOf = (response: Response): Promise<string | ArrayBuffer> =>
  /json|yaml|^text\//.test(response.headers.get('Content-Type') ?? 'text/') ? response.text() : response.arrayBuffer()

/** The response with its body at hand. */
function whole({ status, statusText, headers }: Response, body: string | ArrayBuffer): Response {
  // These may have none, not even an empty one.
  const bare = status === 204 || status === 205 || status === 304
  return new Response(bare ? null : body, { status, statusText, headers })
}
