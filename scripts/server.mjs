// The real binary for tests: on a free port, with a folder of its own.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const binary = fileURLToPath(new URL('../build/cuatrola', import.meta.url))

/**
 * A port that nobody listens on just now. Not one that the system picks: it picks the near ends of outgoing connections
 * from the same range, so that the port could be taken when the server comes, or comes back.
 */
async function freePort() {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000)
    const free = await new Promise((resolve) => {
      const probe = createServer()
      probe.on('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (free) return port
  }
}

/** A server whose process can die and come back with the same port and data. */
export class GameServer {
  #child
  #log = ''
  #settings

  /** Starts one. `settings` are environment variables beside the defaults; a function is given the server's port. */
  static async start(settings = {}) {
    const server = new GameServer()
    server.dir = await mkdtemp(join(tmpdir(), 'cuatrola-test-'))
    server.port = await freePort()
    server.url = `http://127.0.0.1:${server.port}`
    server.#settings = typeof settings === 'function' ? settings(server.port) : settings
    await server.up()
    return server
  }

  #run(args, stdin) {
    return spawn(binary, args, {
      cwd: this.dir,
      stdio: [stdin, 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: this.dir, ...this.#settings },
    })
  }

  async up() {
    const child = this.#run(['serve', '--listen', `127.0.0.1:${this.port}`, '--data-dir', this.dir], 'ignore')
    this.#child = child
    const keep = (chunk) => (this.#log += chunk)
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    let exited
    child.once('exit', (code, signal) => (exited = `${code ?? signal}`))
    for (;;) {
      if (exited !== undefined) throw new Error(`the server ended with ${exited}:\n${this.#log}`)
      const ready = await fetch(this.url + '/readyz').then((r) => r.ok, () => false)
      if (ready) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** Runs a command of the same binary on the same data, and returns what it printed; throws if it fails. */
  async command(args, input = '') {
    const child = this.#run([...args, '--data-dir', this.dir], 'pipe')
    child.stdin.end(input)
    let out = ''
    let complaint = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (complaint += chunk))
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`cuatrola ${args.join(' ')} ended with ${code}:\n${out}${complaint}`)
    return out
  }

  /** Ends the process the hard way and waits until it is gone. */
  async kill() {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await gone
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = new Promise((resolve) => this.#child.once('exit', resolve))
      this.#child.kill('SIGTERM')
      await gone
    }
    await rm(this.dir, { recursive: true, force: true })
  }

  get log() {
    return this.#log
  }
}
