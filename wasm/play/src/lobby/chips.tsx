import { Coins, useFormat, useTexts } from '@cuatrola/ui'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { presets, type Preset } from '../game/types'
import { useT, type Key } from '../i18n'
import { texts } from './queueTexts'

/** One of few, as chips beside one another; what the chosen one means stands below. */
function Chips<Value extends string | number>({ label, name, value, options, onChange, kind, hint }: {
  label: string
  name: string
  value: Value
  options: readonly { value: Value; said: string; shown: ComponentChildren }[]
  onChange: (value: Value) => void
  kind: string
  hint: ComponentChildren
}) {
  const id = useId()
  return (
    <fieldset class={`field choice chips ${kind}`} aria-describedby={id}>
      <legend>{label}</legend>
      <div class="chip-row">
        {options.map((one) => (
          <label key={one.value}>
            <input type="radio" name={name} value={one.value} checked={one.value === value} aria-label={one.said} onChange={() => onChange(one.value)} />
            <span>{one.shown}</span>
          </label>
        ))}
      </div>
      <p class="hint" id={id}>{hint}</p>
    </fieldset>
  )
}

/** What is played. */
export function RulesChips({ value, onChange }: { value: Preset; onChange: (rules: Preset) => void }) {
  const t = useTexts(texts)
  const game = useT()
  const named = (preset: Preset) => game(('preset_' + preset) as Key)
  return (
    <Chips
      label={t('rules')} name="rules" value={value} onChange={onChange} kind="rules" hint={game(('preset_' + value + '_help') as Key)}
      options={presets.map((one) => ({ value: one, said: named(one), shown: named(one) }))}
    />
  )
}

/** Free, or one of the entries that the house has. */
export function StakeChips({ stakes, fill, value, onChange }: { stakes: readonly number[]; fill: number; value: number; onChange: (stake: number) => void }) {
  const t = useTexts(texts)
  const f = useFormat()
  return (
    <Chips
      label={t('stake')} name="stake" value={value} onChange={onChange} kind="stakes"
      hint={value === 0 ? t('free_help') : <><b>{t('stake_prize', { pot: f.number(4 * value), prize: f.number(2 * value) })}</b> {t('stake_rule', { time: f.span(fill) })}</>}
      options={[0, ...stakes].map((one) => ({
        value: one, said: one === 0 ? t('free') : t('stake_named', { n: f.number(one) }), shown: one === 0 ? t('free') : <Coins value={one} />,
      }))}
    />
  )
}
