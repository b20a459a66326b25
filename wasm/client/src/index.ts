/**
 * A Cuatrola server for JavaScript.
 *
 *     const client = new Client({ url: 'https://play.example.org' })
 *     await client.guest()
 *     const me = await ask(client.api.GET('/v1/me'))
 *     client.stream.follow('engagement', { frame: ({ engagement }) => console.log(engagement) })
 */
export type { Proof } from './account.js'
export { persist, type Patience } from './again.js'
export * from './client.js'
export type { Fault } from './faults.js'
export * from './frames.js'
export { FollowedMatch, type MatchListener } from './match.js'
export * from './problem.js'
export { randomKey } from './random.js'
export type { Fetch } from './reach.js'
export { browserSession, memoryStore, type BrowserSession, type Kept, type Store } from './session.js'
export { Stream, type Clock, type SocketLike, type Wires } from './stream.js'
export type { Follower } from './topic.js'
export type { components, paths } from './schema.gen.js'
