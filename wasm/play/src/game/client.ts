import { browserSession, Client, type Schemas } from '@cuatrola/client'

export type { Schemas }

/** The server that the page came from. What lets this device back in is kept in its storage. */
export const client = new Client({ ...browserSession('cuatrola.device'), name: 'web' })
export const { api } = client
