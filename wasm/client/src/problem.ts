/** Why something could not be done: a refusal of the server's, or that no answer came. */
export class Problem extends Error {
  override readonly name = 'Problem'
  constructor(
    /** The stable code, by which texts are found; `unreachable`, `garbled` and `storage` are this package's own. */
    readonly code: string,
    /** Of the HTTP response; 0 if none came. */
    readonly status: number,
    /** The server's own words, in English. */
    readonly detail: string,
    /** The member or parameter at fault, if one is. */
    readonly field: string | null = null,
    /** The request's name in the server's log. */
    readonly requestId: string | null = null,
    /** Everything that the answer said. */
    readonly body: Readonly<Record<string, unknown>> = {},
    /** After how many seconds the server wants to be asked again, if it said so. */
    readonly retryAfter: number | null = null,
  ) {
    super(`${code}: ${detail}`)
  }

  /**
   * Whether the same request may well be answered a little later: none came, or the server is too busy for it. It says nothing
   * about whether the request was carried out, so that only what is safe to repeat may be sent again.
   */
  get passing(): boolean {
    if (this.code === unreachable || this.code === 'rate_limited') return true
    // What an operator has stopped comes back in an hour rather than in a second.
    return this.status >= 500 && this.code !== 'stopped'
  }
}

/** The code of a problem where no answer came. */
export const unreachable = 'unreachable'
/** The code of a problem where something answered that is not the server. */
export const garbled = 'garbled'
/** The code of a problem where what this device keeps cannot be read. */
export const storage = 'storage'

/** A response's refusal, from its status, its body and its headers. */
export function problemOf(status: number, body: unknown, headers?: Headers): Problem {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = (key: string) => (typeof said[key] === 'string' ? said[key] : null)
  const seconds = Number(headers?.get('Retry-After') ?? NaN)
  return new Problem(
    text('code') ?? garbled, status, text('detail') ?? '', text('field'), text('requestId'), said,
    Number.isFinite(seconds) && seconds >= 0 ? seconds : null,
  )
}

/** The answer of a call of `api`, or the refusal thrown as a Problem. */
export async function ask<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (!response.ok) throw problemOf(response.status, error, response.headers)
  return data as T
}
