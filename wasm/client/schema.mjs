// Writes src/schema.gen.ts: the types of openapi.yaml and of the socket's frames in asyncapi.yaml. What only staff and payment
// providers ask of the server is left out.
import { readFile, writeFile } from 'node:fs/promises'
import yaml from 'js-yaml'
import openapiTS, { astToString } from 'openapi-typescript'

const at = (name) => new URL(name, import.meta.url)
const openapi = yaml.load(await readFile(at('../../openapi.yaml'), 'utf8'))
const asyncapi = yaml.load(await readFile(at('../../asyncapi.yaml'), 'utf8'))

const hidden = /^\/(admin|v1\/webhooks)\//
for (const path of Object.keys(openapi.paths)) if (hidden.test(path)) delete openapi.paths[path]

// The frames' schemas join the others, under names of their own: a notice's frame is not a notice.
const messages = Object.fromEntries(Object.entries(asyncapi.components.messages).map(([name, { payload }]) => [name, payload.$ref.split('/').pop()]))
const frames = Object.values(messages)
const own = asyncapi.components.schemas
/** What a schema of asyncapi.yaml is called among those of openapi.yaml, some of which it only repeats. */
const named = (name) => own[name].$ref?.split('/').pop() ?? (frames.includes(name) ? `${name}Frame` : name)
function joined(value) {
  if (Array.isArray(value)) return value.map(joined)
  if (typeof value !== 'object' || value === null) return value
  if (typeof value.$ref !== 'string') return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, joined(inner)]))
  const [file, name] = [value.$ref.split('#')[0], value.$ref.split('/').pop()]
  return { $ref: `#/components/schemas/${file ? name : named(name)}` }
}
for (const [name, schema] of Object.entries(own)) {
  if (schema.$ref) continue
  if (openapi.components.schemas[named(name)]) throw new Error(`openapi.yaml and asyncapi.yaml both have ${named(name)}`)
  openapi.components.schemas[named(name)] = joined(schema)
}

/** Everything that the value leads to, under components. */
function reach(value, found) {
  if (typeof value !== 'object' || value === null) return
  if (typeof value.$ref === 'string') {
    const [, , kind, name] = value.$ref.split('/')
    const key = `${kind}/${name}`
    if (!found.has(key)) {
      found.add(key)
      reach(openapi.components[kind][name], found)
    }
  }
  for (const inner of Object.values(value)) reach(inner, found)
}
const needed = new Set(frames.map((name) => `schemas/${named(name)}`))
for (const name of frames) reach(openapi.components.schemas[named(name)], needed)
reach(openapi.paths, needed)
for (const [kind, all] of Object.entries(openapi.components)) {
  if (kind === 'securitySchemes') continue
  for (const name of Object.keys(all)) if (!needed.has(`${kind}/${name}`)) delete all[name]
}

const direction = (operation) => asyncapi.operations[operation].messages
  .map(({ $ref }) => `components['schemas']['${named(messages[$ref.split('/').pop()])}']`)
  .join('\n  | ')
const types = astToString(await openapiTS(openapi, { defaultNonNullable: false }))
await writeFile(at('src/schema.gen.ts'), `// Made from openapi.yaml and asyncapi.yaml by schema.mjs. Not to be changed by hand.
${types}
/** Every frame that the server sends. */
export type FromServer =
  | ${direction('toClient')};

/** Every frame that a client sends. */
export type FromClient =
  | ${direction('fromClient')};
`)
