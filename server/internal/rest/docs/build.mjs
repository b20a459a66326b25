// Copies what the page at /docs needs out of swagger-ui-dist, for the binary to embed.
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const from = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const to = new URL('dist/', import.meta.url).pathname
await mkdir(to, { recursive: true })
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
  await copyFile(join(from, name), join(to, name))
}
