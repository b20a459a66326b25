/**
 * A Cuatrola server for JavaScript.
 *
 *     const client = new Client({ url: 'https://play.example.org' })
 *     await client.guest()
 *     const me = await ask(client.api.GET('/v1/me'))
 *     client.stream.follow('engagement', { seq: () => 0, frame: (frame) => console.log(frame) })
 */
export * from './client.js'
export * from './problem.js'
export * from './session.js'
export { Stream, type Follower, type Frame } from './stream.js'
export type { components, paths } from './schema.gen.js'
