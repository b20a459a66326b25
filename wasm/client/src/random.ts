/** Random bytes that nobody can guess, or null where the platform has none to give: React Native without a polyfill. */
function strong(size: number): Uint8Array | null {
  const source = (globalThis as { crypto?: { getRandomValues?(into: Uint8Array): Uint8Array } }).crypto
  return source?.getRandomValues?.(new Uint8Array(size)) ?? null
}

/** A name for one attempt at something, for `Idempotency-Key`: nobody has to guess it, but no two may be alike. */
export function randomKey(): string {
  const bytes = strong(16) ?? Uint8Array.from({ length: 16 }, () => Math.random() * 256)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** 32 bytes that nobody can guess, as the server writes its secrets, in base64url; null where there are none. */
export function randomSecret(): string | null {
  const bytes = strong(32)
  if (!bytes) return null
  let text = ''
  for (let bit = 0; bit < 256; bit += 6) {
    const pair = (bytes[bit >> 3]! << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    text += digits[(pair >> (10 - (bit & 7))) & 63]
  }
  return text
}
