import type { Format, Tone, Translate } from '@cuatrola/ui'
import type { Schemas } from '../api/types'
import type { texts } from './texts'

export type T = Translate<keyof (typeof texts)['es'] & string>
export type Case = Schemas['FairnessCase']

export const kinds = ['pair', 'flow', 'relay', 'company', 'speed'] as const
export const states = ['open', 'watching', 'dismissed'] as const
export const tones: Record<Case['state'], Tone> = { open: 'warn', watching: 'info', dismissed: 'neutral' }

/** Milliseconds as people read them. */
export const span = (f: Format, ms: number) => (ms < 1000 ? `${f.number(ms)} ms` : `${f.number(Math.round(ms / 10) / 100)} s`)

/** A count that may be a fraction, with one digit. */
export const about = (f: Format, n: number) => f.number(Math.round(n * 10) / 10)

/** A probability: as a share while it can be read, then as one in so many. */
export const chance = (f: Format, p: number) => (p >= 0.001 ? f.percent(p) : p > 0 ? `1 : ${f.compact(1 / p)}` : '0')

/** How seldom chance alone shows something like it: of a score, one search in so many. */
export const seldom = (t: T, f: Format, c: Case) =>
  c.kind === 'speed' ? t('score', { n: about(f, c.score) }) : t('one_in', { n: c.score < 15 ? f.compact(Math.max(1, Math.round(10 ** c.score))) : '10^' + Math.floor(c.score) })

/** The case in one line. */
export function says(t: T, f: Format, c: Case): string {
  const { evidence: e, players } = c
  const name = (id: string | undefined) => players.find((p) => p.id === id)?.name ?? '—'
  const expected = about(f, e.expected ?? 0)
  const coins = f.number(e.coins ?? 0)
  switch (c.kind) {
    case 'pair':
      return t('says_pair', { won: f.number(e.won), matches: f.number(e.matches), expected })
    case 'flow':
      return t('says_flow', { coins, from: name(players[0]?.id), to: name(players[1]?.id), matches: f.number(e.matches) })
    case 'relay':
      return t('says_relay', { coins, name: name(players[0]?.id) })
    case 'company':
      return t('says_company', { matches: f.number(e.matches), expected })
    case 'speed': {
      const p = e.pace
      if (!p) return ''
      const actions = f.number(p.actions)
      return p.fast ? t('says_fast', { median: span(f, p.median), actions }) : t('says_even', { low: span(f, p.tenth), high: span(f, p.ninetieth), actions })
    }
  }
}
