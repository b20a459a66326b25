import type { Tone, Translate } from '@cuatrola/ui'
import type { Schemas } from '../api/types'
import type { Key } from './texts'

export type Simulation = Schemas['Simulation']
export type Draft = Schemas['EconomyDraft']

/** What a simulation's document is called, with the names of drafts where they are known. */
export function sourceName(t: Translate<Key>, source: string | undefined, drafts: readonly Draft[] = []): string {
  const [kind, id] = (source ?? 'file').split(':')
  switch (kind) {
    case 'version':
      return t('source_version', { n: id! })
    case 'draft': {
      const draft = drafts.find((d) => d.id === id)
      return draft ? t('source_draft_named', { name: draft.name }) : t('source_draft')
    }
    default:
      return t.code(`source_${kind}`, t('source_file'))
  }
}

export const tones: Record<Simulation['state'], Tone> = { running: 'info', done: 'good', failed: 'bad', cancelled: 'neutral', lost: 'warn' }
