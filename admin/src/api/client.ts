import createClient from 'openapi-fetch'
import { ask, Problem, problemOf, unreachable } from '@cuatrola/client'
import type { paths } from './schema.gen'
import type { Session } from './types'

const patience = 30_000

let csrfToken = ''
let tellLost = () => {}

/** What unsafe requests carry from now on. */
export const useToken = (token: string) => void (csrfToken = token)

/** Who is told when the server knows the session no more. */
export const onSessionLost = (tell: () => void) => void (tellLost = tell)

/** The session of this browser, or null. */
export async function readSession(): Promise<Session | null> {
  const response = await reach(new Request(new URL('/admin/v1/session', location.href), { cache: 'no-store' }))
  const body: unknown = await response.json().catch(() => null)
  if (response.status === 401) return null
  if (!response.ok || body === null) throw problemOf(response.status, body)
  const session = body as Session
  useToken(session.csrfToken)
  return session
}

async function reach(request: Request): Promise<Response> {
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(patience)]) })
  } catch (err) {
    if (request.signal.aborted) throw err
    throw new Problem(unreachable, 0, String(err))
  }
}

const safe = (method: string) => method === 'GET' || method === 'HEAD'

async function send(request: Request): Promise<Response> {
  if (safe(request.method)) return noticing(await reach(request))
  const again = request.clone()
  request.headers.set('X-CSRF-Token', csrfToken)
  const response = await reach(request)
  // Another tab may have signed in: this browser's session is then another, with another token.
  if (response.status === 403 && (await codeOf(response.clone())) === 'csrf' && (await readSession())) {
    again.headers.set('X-CSRF-Token', csrfToken)
    return noticing(await reach(again))
  }
  return noticing(response)
}

const codeOf = async (response: Response) => ((await response.json().catch(() => null)) as { code?: unknown } | null)?.code

async function noticing(response: Response): Promise<Response> {
  if (response.status === 401) {
    const code = await codeOf(response.clone())
    // A refused password is a 401 too, and says nothing about a session.
    if (code === 'unauthenticated' || code === 'session_ended') tellLost()
  }
  return response
}

/**
 * The server's API by its contract. Unsafe requests carry the session's token against forgery; a session that has ended
 * is noticed, and the panel asks to sign in over what is open.
 */
export const api = createClient<paths>({ baseUrl: '', fetch: send })

export { ask }
