// The package as others get it: packed, installed beside @cuatrola/rules without a network, its README's examples compiled as
// strictly as can be, and run.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import yaml from 'js-yaml'
import { GameServer } from '../../../scripts/server.mjs'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const require = createRequire(import.meta.url)
const packageOf = (name) => {
  let at = dirname(require.resolve(name))
  while (!at.endsWith(join('node_modules', name))) at = dirname(at)
  return at
}

let project
let files
before(async () => {
  project = await mkdtemp(join(tmpdir(), 'cuatrola-package-'))
  const packed = []
  // What the package needs, and the rules beside it.
  for (const folder of [join(root, 'wasm/client'), join(root, 'wasm'), packageOf('openapi-fetch'), packageOf('openapi-typescript-helpers')]) {
    const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], { cwd: folder })
    packed.push(JSON.parse(stdout)[0])
  }
  files = packed[0].files.map((file) => file.path)
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const tarballs = packed.map(({ filename }) => join(project, filename.replace('@', '').replace('/', '-')))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: project })
})
after(() => rm(project, { recursive: true, force: true }))

test('holds what it needs and nothing else', () => {
  assert.deepEqual(files.filter((file) => !file.startsWith('dist/')).sort(), ['LICENSE', 'README.md', 'package.json'])
  assert.ok(files.includes('dist/index.js') && files.includes('dist/index.d.ts'))
  assert.deepEqual(files.filter((file) => !/\.(js|d\.ts|md|json)$|LICENSE/.test(file)), [])
})

test('its types have the players\' API and the socket, and not what staff or providers ask', async () => {
  const types = await readFile(join(project, 'node_modules/@cuatrola/client/dist/schema.gen.d.ts'), 'utf8')
  assert.match(types, /"\/v1\/matches\/\{matchId\}\/actions"/)
  assert.match(types, /EventFrame/)
  assert.deepEqual(types.match(/"\/(admin|v1\/webhooks)[^"]*|\b(Panel|Staff)[A-Z]\w+/g), null)
})

/** The README's examples, by their headings. */
async function examples() {
  const text = await readFile(join(root, 'wasm/client/README.md'), 'utf8')
  return [...text.matchAll(/^## (.+?)$[\s\S]*?^```ts\n([\s\S]*?)^```/gm)].map(([, heading, code]) => ({ heading, code }))
}

/** Every example of a frame in asyncapi.yaml, as the type that this package has for it. */
async function frames() {
  const { components, operations } = yaml.load(await readFile(join(root, 'asyncapi.yaml'), 'utf8'))
  const lines = ["import type { ClientFrame, ServerFrame } from '@cuatrola/client'"]
  for (const [operation, type] of [['toClient', 'ServerFrame'], ['fromClient', 'ClientFrame']]) {
    const types = []
    for (const { $ref } of operations[operation].messages) {
      const message = components.messages[$ref.split('/').pop()]
      const schema = components.schemas[message.payload.$ref.split('/').pop()]
      types.push(schema.properties.type.enum[0])
      for (const { payload } of message.examples ?? []) lines.push(`export const _${lines.length}: ${type} = ${JSON.stringify(payload)}`)
    }
    // All of them, and no other.
    const all = types.map((name) => `'${name}'`).join(' | ')
    lines.push(`export const _${lines.length}: [${all}] extends [${type}['type']] ? [${type}['type']] extends [${all}] ? true : never : never = true`)
  }
  // Told apart by their type, and by the topic that is followed.
  lines.push(
    "import type { Client, FrameOf, MatchTopic } from '@cuatrola/client'",
    "export function told(frame: FrameOf<MatchTopic>): string | undefined { return frame.type === 'event' ? frame.action : frame.type === 'said' ? frame.say : frame.view.phase }",
    "export function heard(client: Client): void { client.stream.follow('notices', { frame: (frame) => console.log(frame.unread) }) }",
    '// @ts-expect-error An engagement has no unread notices.',
    "export function misheard(client: Client): void { client.stream.follow('engagement', { frame: (frame) => console.log(frame.unread) }) }",
    '// @ts-expect-error There is no such topic.',
    "export function nowhere(client: Client): void { client.stream.follow('league', { frame() {} }) }",
    // A browser's WebSocket fits, and so does one that is no subclass of it.
    "import { Client as New, type SocketLike } from '@cuatrola/client'",
    'declare const Other: new (url: string, options?: { headers: object }) => SocketLike & { ping(): void }',
    'export const clients = [new New({ WebSocket }), new New({ WebSocket: Other }), new New({ fetch })]',
  )
  return lines.join('\n')
}

test('the README\'s examples and the frames of asyncapi.yaml fit its types', async () => {
  const there = await examples()
  assert.deepEqual(there.map(({ heading }) => heading), ['A match in the browser', 'In Node', 'In React Native', 'Requests', 'When client and server do not agree', 'Who is signed in', 'The socket'])
  await mkdir(join(project, 'src'))
  for (const [i, { code }] of there.entries()) await writeFile(join(project, 'src', `example${i}.ts`), code)
  await writeFile(join(project, 'src', 'frames.ts'), await frames())
  await writeFile(join(project, 'src', 'native.d.ts'), `
    declare module 'react-native-get-random-values' {}
    declare module 'expo-secure-store' {
      export function getItemAsync(key: string): Promise<string | null>
      export function setItemAsync(key: string, value: string): Promise<void>
    }
    declare module 'react-native' {
      export const AppState: { addEventListener(type: 'change', listener: (state: 'active' | 'background') => void): { remove(): void } }
    }`)
  await writeFile(join(project, 'src', 'rules.ts'), `
    import { Client } from '@cuatrola/client'
    import { init } from '@cuatrola/rules'
    export async function play(client: Client, matchId: string, action: string): Promise<string | null> {
      const rules = await init()
      const match = client.followMatch(matchId, {})
      const view = await match.look()
      const reason = rules.checkView(rules.viewFromServer(view), action)
      if (reason === null) await match.act(action)
      return reason
    }`)
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({
    compilerOptions: {
      strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true,
      target: 'ES2022', lib: ['ES2022', 'DOM', 'DOM.Iterable'], module: 'NodeNext', outDir: 'out', rootDir: 'src',
      skipLibCheck: true, types: ['node'], typeRoots: [join(root, 'node_modules/@types')],
    },
    include: ['src'],
  }))
  const { stdout } = await run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', project]).catch((err) => err)
  assert.equal(stdout, '')
})

test('the README\'s match is played to its end', async () => {
  const server = await GameServer.start()
  try {
    const code = (await readFile(join(project, 'out', 'example1.js'), 'utf8')).replace('https://play.example.org', server.url)
    await writeFile(join(project, 'match.js'), code)
    const play = () => run(process.execPath, ['--experimental-websocket', '--no-warnings', join(project, 'match.js')])
    assert.match((await play()).stdout, /^[1-9]\d*\n$/)
    // What the first run has written down lets the second in, as the same player.
    const { player } = JSON.parse(await readFile(join(project, 'session.json'), 'utf8'))
    await play()
    assert.equal(JSON.parse(await readFile(join(project, 'session.json'), 'utf8')).player.id, player.id)
  } finally {
    await server.stop()
  }
})
