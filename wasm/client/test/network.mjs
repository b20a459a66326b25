// A bad network between a client and the server, on this machine's own ports.
import { connect, createServer } from 'node:net'

/** A way to the server that breaks at random: every connection has a fate, drawn when it is made. */
export class Network {
  #server
  #sockets = new Set()
  #calm = false
  cuts = 0

  /** @param port the server's; `random` draws the fates; `bytes` is how far a connection comes at most before it breaks. */
  static async to(port, random, { bytes = 6000 } = {}) {
    const network = new Network()
    network.#server = createServer((near) => network.#carry(near, connect(port, '127.0.0.1'), random, bytes))
    await new Promise((resolve) => network.#server.listen(0, '127.0.0.1', resolve))
    network.url = `http://127.0.0.1:${network.#server.address().port}`
    return network
  }

  #carry(near, far, random, bytes) {
    const draw = this.#calm ? 1 : random()
    const fate = draw < 0.04 ? 'refused' : draw < 0.4 ? 'cut' : draw < 0.46 ? 'deaf' : draw < 0.6 ? 'crumbled' : 'whole'
    // Few bytes as often as many: before a request, within it, within its answer, behind it.
    let left = fate === 'cut' || fate === 'deaf' ? Math.floor(bytes ** random()) : Infinity
    let deaf = false
    const end = () => {
      for (const socket of [near, far]) {
        this.#sockets.delete(socket)
        // As a router that forgets, or as a process that ends.
        if (random() < 0.5) socket.destroy()
        else socket.resetAndDestroy()
      }
    }
    for (const [from, to] of [[near, far], [far, near]]) {
      this.#sockets.add(from)
      from.setNoDelay(true)
      from.on('error', end)
      from.on('close', end)
      from.on('data', (chunk) => {
        if (deaf || to.destroyed) return
        const part = chunk.subarray(0, left)
        left -= part.length
        if (fate === 'crumbled') crumble(part, to)
        else to.write(part)
        if (left > 0 || part.length === 0) return
        this.cuts++
        if (fate === 'deaf') deaf = true
        else to.end(() => end())
      })
    }
    if (fate === 'refused') end()
  }

  /** From now on, nothing breaks any more that is begun. */
  calm() {
    this.#calm = true
  }

  /** Everything breaks at once. */
  cut() {
    this.cuts++
    for (const socket of this.#sockets) socket.resetAndDestroy()
    this.#sockets.clear()
  }

  stop() {
    this.cut()
    this.#server.close()
  }
}

/** Byte by byte at first, as packets come that are split anywhere. */
function crumble(chunk, to) {
  const at = Math.min(40, chunk.length)
  for (let i = 0; i < at; i++) to.write(chunk.subarray(i, i + 1))
  if (at < chunk.length) to.write(chunk.subarray(at))
}
