// The wire between a browser and the world: a proxy that sees whatever goes over it, whoever in the browser asked, be it the
// page, a worker or the service worker, of which the page's own session of the debugger tells nothing.
import { createServer, request } from 'node:http'
import { connect } from 'node:net'

/** Bytes of a head as they were sent: names, values, and `: ` and a line's end about them. */
const headSize = (raw) => raw.reduce((sum, text) => sum + text.length + 2, 0)

/** `requests` are all that was asked for, `{ method, url, status, bytes }`, bytes as they came: head, and body as it was packed. */
export class Wire {
  requests = []
  #held = null
  #http = createServer(async (asked, answer) => {
    if (this.#held?.what.test(asked.url)) await this.#held.until
    this.#pass(asked, answer)
  })

  static async open() {
    const wire = new Wire()
    wire.#http.on('connect', (asked, socket, head) => wire.#tunnel(asked, socket, head))
    await new Promise((resolve) => wire.#http.listen(0, '127.0.0.1', resolve))
    wire.proxy = { server: `http://127.0.0.1:${wire.#http.address().port}` }
    return wire
  }

  get bytes() {
    return this.requests.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Lets nothing through whose address looks so, until what this answers is called. */
  hold(what) {
    let release
    this.#held = { what, until: new Promise((resolve) => (release = resolve)) }
    return release
  }

  #pass(asked, answer) {
    const seen = { method: asked.method, url: asked.url, status: 0, bytes: 0 }
    this.requests.push(seen)
    const onward = request(asked.url, { method: asked.method, headers: asked.headers }, (given) => {
      seen.status = given.statusCode
      seen.bytes += headSize(given.rawHeaders)
      answer.writeHead(given.statusCode, given.rawHeaders)
      given.on('data', (chunk) => (seen.bytes += chunk.length))
      given.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  }

  /** A socket's connection, or one that is encrypted: nothing but its bytes is seen. */
  #tunnel(asked, socket, head) {
    const seen = { method: 'CONNECT', url: asked.url, status: 200, bytes: 0 }
    this.requests.push(seen)
    const [host, port] = asked.url.split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.write(head)
      onward.on('data', (chunk) => (seen.bytes += chunk.length))
      onward.pipe(socket).pipe(onward)
    })
    for (const [one, other] of [[onward, socket], [socket, onward]]) one.on('error', () => other.destroy())
  }

  close() {
    this.#http.closeAllConnections()
    return new Promise((resolve) => this.#http.close(resolve))
  }
}
