import { FormatError, type Cuatrola, type FairProof, type HandRecord, type MatchRecord, type Seat } from '@cuatrola/rules'
import type { Difference, Finding, Known, Report, State } from './protocol'

/** Everything that can be asked of a record, one question after the other. It may come from anywhere. */
export function examine(engine: Cuatrola, record: MatchRecord, known: Known): Report {
  const findings: Finding[] = []
  const report = (): Report => {
    const bad = findings.some((finding) => finding.state === 'bad')
    const proven = findings.some(({ check, state }) => check === 'deals' && state === 'good')
    return { findings, state: bad ? 'bad' : proven ? 'good' : 'unknown' }
  }

  const played = orUnreadable(() => engine.replay(record))
  const verdict = played.value && orUnreadable(() => engine.verifyFair(record))
  const unreadable = played.field ?? verdict?.field
  if (unreadable !== undefined) {
    findings.push({ check: 'record', state: 'bad', field: unreadable })
    if (!played.value) return report()
  } else if (record.fair && record.id !== undefined && record.id !== record.fair.matchId) {
    // A true proof of another match proves nothing of this one.
    findings.push({ check: 'record', state: 'bad', field: 'fair.matchId' })
  } else findings.push({ check: 'record', state: 'good' })

  const fair = verdict?.value?.fair ?? 'no_proof'
  const hand = verdict?.value?.hand ?? 0
  const proof = verdict?.value ? record.fair : undefined
  findings.push({ check: 'commitment', state: !proof ? 'unknown' : fair === 'commitment_mismatch' ? 'bad' : 'good' })
  if (proof) findings.push(seeds(record, proof))
  const deals = { check: 'deals', hands: record.hands.length } as const
  if (fair === 'ok') findings.push({ ...deals, state: 'good' })
  else if (fair === 'deal_mismatch' || fair === 'dealer_mismatch') findings.push({ ...deals, state: 'bad', hand, ...wrong(engine, record, hand) })
  else findings.push({ ...deals, state: 'unknown' })

  const actions = record.hands.reduce((sum, { actions }) => sum + actions.length, 0)
  const result = played.value!
  if (result.ok) findings.push({ check: 'actions', state: 'good', actions })
  else {
    const fault = { hand: result.hand, action: result.action, error: result.error }
    const seat = fault.action === null ? undefined : seatAt(engine, record, fault.hand, fault.action)
    const action = fault.action === null ? undefined : record.hands[fault.hand]?.actions[fault.action]
    findings.push({ check: 'actions', state: 'bad', actions, fault, ...(seat !== undefined && action !== undefined && { by: { seat, action } }) })
  }

  const { promised, copy } = known
  if (promised && proof) {
    const broken = proof.commitment.toLowerCase() !== promised.commitment.toLowerCase() ? 'commitment'
      : proof.clientSeeds[promised.seat] !== promised.seed ? 'seed' : undefined
    findings.push({ check: 'promise', state: broken ? 'bad' : 'good', ...(broken && { broken }) })
  } else if (proof) findings.push({ check: 'promise', state: 'unknown' })
  if (copy) {
    const at = difference(record, copy)
    findings.push({ check: 'copy', state: at ? 'bad' : 'good', ...(at && { at }) })
  }
  return report()
}

/** Of what cannot be read, the module's own words on what is wrong with it. */
function orUnreadable<T>(ask: () => T): { value?: T; field?: string } {
  try {
    return { value: ask() }
  } catch (err) {
    if (err instanceof FormatError) return { field: err.message }
    throw err
  }
}

function seeds(record: MatchRecord, proof: FairProof): Finding {
  const brought = proof.clientSeeds.map((seed) => seed !== '')
  const bots = [0, 1, 2, 3].filter((seat) => record.players?.[seat]?.bot)
  // The server could choose what a bot brings, and with it the deals.
  const state: State = bots.some((seat) => brought[seat]) ? 'bad' : 'good'
  return { check: 'seeds', state, brought, bots }
}

/** What the seeds give instead of a hand's deal, where the hands before it can be played. */
function wrong(engine: Cuatrola, record: MatchRecord, hand: number): Pick<Extract<Finding, { check: 'deals' }>, 'dealer' | 'trump' | 'cards'> {
  const due = orUnreadable(() => engine.resume({ ...record, hands: record.hands.slice(0, hand) }).record().hands[hand]).value
  const found: HandRecord = record.hands[hand]!
  if (!due) return {}
  const cards = due.deal.map((own, seat) => {
    const shown = found.deal?.[seat] ?? []
    return { seat, found: shown.filter((card) => !own.includes(card)), due: own.filter((card) => !shown.includes(card)) }
  })
  return {
    ...(found.dealer !== due.dealer && { dealer: { found: found.dealer, due: due.dealer } }),
    ...(found.trump !== due.trump && { trump: { found: found.trump, due: due.trump } }),
    cards: cards.filter(({ found, due }) => found.length + due.length > 0),
  }
}

function seatAt(engine: Cuatrola, record: MatchRecord, hand: number, action: number): Seat | undefined {
  return engine.trace(record).trace.find((entry) => entry.hand === hand && entry.i === action)?.seat
}

/** Where a record is not what another one of the same match says; null if it is in all that was dealt and done. */
export function difference(record: MatchRecord, copy: MatchRecord): Difference | null {
  if (stable(record.rules) !== stable(copy.rules)) return { hand: null, action: null }
  for (let hand = 0; hand < Math.max(record.hands.length, copy.hands.length); hand++) {
    const found = record.hands[hand]
    const due = copy.hands[hand]
    if (!found || !due || dealt(found) !== dealt(due)) return { hand, action: null }
    for (let action = 0; action < Math.max(found.actions.length, due.actions.length); action++) {
      if (found.actions[action] !== due.actions[action]) return { hand, action, found: found.actions[action], due: due.actions[action] }
    }
  }
  if (stable(record.fair) !== stable(copy.fair) || stable(named(record)) !== stable(named(copy))) return { hand: null, action: null }
  return null
}

const named = ({ players }: MatchRecord) => (players ?? []).map(({ name, bot }) => [name, bot])
/** In which order a seat's cards are written does not matter. */
const dealt = ({ dealer, deal, trump }: HandRecord) => stable([dealer, (deal ?? []).map((cards) => [...cards].sort()), trump])

/** The same text for what is the same, whatever the order of members. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner) ?? ''
