/** So many random bytes in hexadecimal. Works where crypto.randomUUID does not: on a plain-HTTP page of a home network. */
export function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (b) => b.toString(16).padStart(2, '0')).join('')
}
