/** Gathers bytes for the module, little-endian. Its room grows and is used again. */
export class Writer {
  #bytes = new Uint8Array(4096)
  #view = new DataView(this.#bytes.buffer)
  length = 0

  reset(): this {
    this.length = 0
    return this
  }

  #room(size: number): number {
    const at = this.length
    if (at + size > this.#bytes.length) {
      const bigger = new Uint8Array(2 * (at + size))
      bigger.set(this.#bytes)
      this.#bytes = bigger
      this.#view = new DataView(bigger.buffer)
    }
    this.length = at + size
    return at
  }

  uint8(v: number) {
    const at = this.#room(1)
    this.#bytes[at] = v
  }

  uint16(v: number) {
    const at = this.#room(2)
    this.#view.setUint16(at, v, true)
  }

  uint32(v: number) {
    const at = this.#room(4)
    this.#view.setUint32(at, v, true)
  }

  /** Writes a number at a place that was written before. */
  patch16(at: number, v: number) {
    this.#view.setUint16(at, v, true)
  }

  bytes(part: Uint8Array) {
    const at = this.#room(part.length)
    this.#bytes.set(part, at)
  }

  /** What has been written, valid until the next write. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }
}
