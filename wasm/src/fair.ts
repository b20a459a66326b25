// Proofs of fair deals: the "fair" member of a record, as server/record/fair.go reads it.

import { FormatError } from './errors.js'
import type { FairProof } from './types.js'
import { bytesOf, textOf } from './utf8.js'
import type { Writer } from './writer.js'

const scheme = 'cuatrola-fair/1'
const seedSize = 32
const digestSize = 32
const maxText = 64

export interface Seeds {
  serverSeed: Uint8Array
  matchId: string
  /** By seat; empty for a seat that brought none. */
  clientSeeds: readonly Uint8Array[]
}

/** A match's id as the deals are drawn from it. Throws a FormatError that names the member it came in. */
export function requireId(id: unknown, name: string): string {
  if (typeof id !== 'string' || bytesOf(id).length > maxText) throw new FormatError(`${name} is not a text of at most ${maxText} bytes`)
  return id
}

/** Reads a proof from decoded JSON. One that cannot be checked to the last byte is none. */
export function parseFair(json: unknown): Seeds & { commitment: Uint8Array } {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new FormatError('fair is not a JSON object')
  const proof = json as Record<string, unknown>
  if (proof['scheme'] !== scheme) throw new FormatError(`fair.scheme is not "${scheme}"`)
  const matchId = requireId(proof['matchId'], 'fair.matchId')
  const commitment = unhex(proof['commitment'], 'commitment', digestSize)
  const serverSeed = unhex(proof['serverSeed'], 'serverSeed', seedSize)
  const seeds = proof['clientSeeds']
  if (!Array.isArray(seeds) || seeds.length !== 4) throw new FormatError('fair.clientSeeds is not a list of four texts')
  const clientSeeds = seeds.map((seed: unknown, s) => {
    const bytes = typeof seed === 'string' ? bytesOf(seed) : undefined
    if (!bytes || bytes.length > maxText) throw new FormatError(`fair.clientSeeds[${s}] is not a text of at most ${maxText} bytes`)
    return bytes
  })
  return { commitment, serverSeed, matchId, clientSeeds }
}

function unhex(hex: unknown, name: string, size: number): Uint8Array {
  if (typeof hex !== 'string' || hex.length !== 2 * size || !/^[0-9a-f]*$/i.test(hex)) {
    throw new FormatError(`fair.${name} is not ${size} bytes in hexadecimal`)
  }
  return Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16))
}

/** The proof of deals drawn from these seeds. */
export function fairProof(seeds: Seeds, commitment: Uint8Array): FairProof {
  return {
    scheme,
    matchId: seeds.matchId,
    commitment: hexOf(commitment),
    serverSeed: hexOf(seeds.serverSeed),
    clientSeeds: seeds.clientSeeds.map(textOf),
  }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('')
}

/** Writes what a fair deal is drawn from, in the form that wire.ReadSeeds reads. */
export function writeSeeds(w: Writer, { serverSeed, matchId, clientSeeds }: Seeds) {
  for (const part of [serverSeed, bytesOf(matchId), ...clientSeeds]) {
    w.uint8(part.length)
    w.bytes(part)
  }
}
