/** Why something could not be done: a refusal of the server's, or that no answer came. */
export class Problem extends Error {
  override readonly name = 'Problem'
  constructor(
    /** The stable code, by which texts are found; `unreachable` and `garbled` are this package's own. */
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
  ) {
    super(`${code}: ${detail}`)
  }
}

/** The code of a problem where no answer came. */
export const unreachable = 'unreachable'
/** The code of a problem where something answered that is not the server. */
export const garbled = 'garbled'

/** A response's refusal, from its status and its body. */
export function problemOf(status: number, body: unknown): Problem {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = (key: string) => (typeof said[key] === 'string' ? said[key] : null)
  return new Problem(text('code') ?? garbled, status, text('detail') ?? '', text('field'), text('requestId'), said)
}

/** The answer of a call of `api`, or the refusal thrown as a Problem. */
export async function ask<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (!response.ok) throw problemOf(response.status, error)
  return data as T
}
