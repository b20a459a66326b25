import type { Schemas } from '@cuatrola/client'
import type { Cuatrola, HandReview, HouseRules, Language, MatchRecord, Moment, Result, Rules, TraceEntry, Values } from '@cuatrola/rules'
import { recordCalls } from '../history/calls'
import { LocalMatch, type LocalOptions } from './local'
import type { LocalState, Prediction, ServerSight } from './protocol'
import { predict, sightFromServer } from './sight'
import type { Promised, Verdict, View } from './types'
import { verify } from './verify'

/** Everything that the module is asked for. Works in the worker: a page imports only its types, and asks by `engine`. */
export function calls(engine: Cuatrola, tell: (id: string, state: LocalState) => void) {
  const matches = new Map<string, LocalMatch>()
  const matchOf = (id: string) => {
    const match = matches.get(id)
    if (!match) throw new Error(`no match ${id}`)
    return match
  }
  const told = (match: LocalMatch) => tell(match.id, match.state)
  const open = (match: LocalMatch): { id: string; state: LocalState } => {
    matches.set(match.id, match)
    return { id: match.id, state: match.state }
  }

  return {
    /** Settled when calls are answered at once. */
    ready: (): void => undefined,

    /** A rule set with every option filled in. */
    rules: (house: HouseRules): Rules => engine.rules(house),
    /** Checks a record that may come from anywhere, and holds it against what was promised before its match, if that is known. */
    verify: (record: unknown, promised: Promised | null = null): Verdict => verify(engine, record, promised),
    /** What playing a record gives. */
    replay: (record: MatchRecord): Result => engine.replay(record),
    /** The same, and what each seat could have done before each action. */
    trace: (record: MatchRecord): { result: Result; trace: TraceEntry[] } => engine.trace(record),
    /** What each action comes to at a point of a record, if all cards are seen. */
    solve: (moment: Moment): Values => engine.solve(moment),
    /** A coach's look at one of a record's finished hands, counted from 0. It takes some 300 ms. */
    review: (record: MatchRecord, hand: number, lang: Language): HandReview => engine.review(record, { hand, lang }),

    ...recordCalls(engine),

    /** What a server sent of a match, in the module's form, and what may be done. */
    sight: (view: Schemas['View']): ServerSight => sightFromServer(engine, view),
    /** What one's own action will come to, as far as one's view tells. */
    predict: (view: View, action: string): Prediction | null => predict(engine, view, action),

    /** Starts a match on this device. Its bots play once it is told to. */
    start: (options: LocalOptions) => open(LocalMatch.start(engine, options, told)),
    /** Takes one up from its record. */
    resume: (record: MatchRecord) => open(LocalMatch.resume(engine, record, told)),
    /** Lets the bots play, each after about `ms` milliseconds. */
    play: (id: string, ms: number): void => matchOf(id).play(ms),
    /** Does the player's own action, or says why not. */
    act: (id: string, action: string): { refused: string } | { state: LocalState } => {
      const refused = matchOf(id).act(action)
      return refused ? { refused } : { state: matchOf(id).state }
    },
    /** Goes on after a hand's result has been looked at. */
    nextHand: (id: string): LocalState => {
      matchOf(id).nextHand()
      return matchOf(id).state
    },
    /** The match is not looked at any more. */
    leave: (id: string): void => {
      matches.get(id)?.pause()
      matches.delete(id)
    },
  }
}

export type Calls = ReturnType<typeof calls>
