// UTF-8 both ways. Not every engine has TextEncoder and TextDecoder: React Native's has had the one for long, the other not.

/** The bytes of a text. Half of a pair of surrogates becomes U+FFFD, as TextEncoder has it. */
export function bytesOf(text: string): Uint8Array {
  const bytes: number[] = []
  for (let i = 0; i < text.length; i++) {
    let code = text.codePointAt(i)!
    if (code > 0xffff) i++
    else if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd
    if (code < 0x80) {
      bytes.push(code)
      continue
    }
    const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3
    bytes.push(((0xff00 >> (more + 1)) & 0xff) | (code >> (6 * more)))
    for (let n = more - 1; n >= 0; n--) bytes.push(0x80 | ((code >> (6 * n)) & 0x3f))
  }
  return Uint8Array.from(bytes)
}

/** The text of bytes that bytesOf or the module wrote. */
export function textOf(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i++]!
    let more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3
    let code = more === 0 ? first : first & (0x3f >> more)
    for (; more > 0; more--) code = (code << 6) | (bytes[i++]! & 0x3f)
    text += String.fromCodePoint(code > 0x10ffff ? 0xfffd : code)
  }
  return text
}
