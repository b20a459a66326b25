import './rules.css'
import { ButtonLink, Loading, Page, Section, useLoad, useTexts } from '@cuatrola/ui'
import { Play } from 'lucide'
import { Face } from '../cards/face'
import { engine } from '../game/engine'
import { presets, type Rules } from '../game/types'
import { useT, type Key } from '../i18n'
import { texts } from './rulesTexts'

const ranks = [['A', 11], ['3', 10], ['R', 4], ['C', 3], ['S', 2]] as const

/** How it is played, in two minutes. */
export default function RulesPage() {
  const t = useTexts(texts)
  const game = useT()
  // What the presets say, the module knows.
  const rules = useLoad(() => Promise.all(presets.map((preset) => engine('rules', preset))), [])
  return (
    <Page title={t('title')} lead={t('lead')} narrow back={{ href: '/', label: game('home') }}>
      <Section title={t('cards')} lead={t('cards_help')}>
        <ul class="worths">
          {ranks.map(([rank, points]) => (
            <li key={rank}><span class="card" role="img" aria-label={game.card(rank + 'O')}><Face card={rank + 'O'} /></span><b>{t('points', { n: points })}</b></li>
          ))}
        </ul>
      </Section>
      <Section title={t('deal')}><p>{t('deal_help')}</p></Section>
      <Section title={t('tricks')}><ol class="steps"><li>{t('tricks_1')}</li><li>{t('tricks_2')}</li><li>{t('tricks_3')}</li></ol></Section>
      <Section title={t('bids')}><div class="stack"><p>{t('bids_help')}</p><p>{t('bids_pass')} {t('bids_lost')}</p></div></Section>
      <Section title={t('sing')}>
        <div class="sung">
          <span aria-hidden="true">{['RC', 'CC'].map((card) => <span class="card" key={card}><Face card={card} /></span>)}</span>
          <p>{t('sing_help')}</p>
        </div>
      </Section>
      <Section title={t('end')}><p>{t('end_help')}</p></Section>
      <Section title={t('presets')} lead={t('presets_help')}>
        <Loading of={rules}>{(all) => <div class="houses">{all.map((one, i) => <House key={presets[i]} name={game(('preset_' + presets[i]) as Key)} rules={one} />)}</div>}</Loading>
      </Section>
      <div class="row"><ButtonLink kind="strong" icon={Play} href="/table?new">{t('play')}</ButtonLink></div>
    </Page>
  )
}

/** A preset's customs. */
function House({ name, rules }: { name: string; rules: Rules }) {
  const t = useTexts(texts)
  const game = useT()
  const { end, target, beat, cantes, tie, bonusAbove } = rules
  return (
    <div class="house">
      <h3>{name}</h3>
      <dl>
        <div><dt>{t('row_end')}</dt><dd>{t(end === 'hands' ? 'hands' : 'to_points', { n: target })}</dd></div>
        {rules.bids.map((bid) => (
          <div key={bid.name}><dt>{game(bid.name as Key)}</dt><dd>{bid.needs === null ? t('by_points') : t('by_tricks', { n: bid.needs })}, {t('worth', { n: bid.value })}</dd></div>
        ))}
        <div><dt>{t('row_beat')}</dt><dd>{t(beat)}</dd></div>
        <div><dt>{t('row_cantes')}</dt><dd>{t(cantes)}</dd></div>
        <div><dt>{t('row_tie')}</dt><dd>{t(tie)}</dd></div>
        <div><dt>{t('row_double')}</dt><dd>{bonusAbove === null ? t('never') : t('above', { n: bonusAbove })}</dd></div>
      </dl>
    </div>
  )
}
