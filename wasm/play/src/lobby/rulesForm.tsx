import { SelectField, useLoad, useTexts } from '@cuatrola/ui'
import { choices, houseRules, lengths } from '../bots/setup'
import { usualSetup } from '../device'
import type { Schemas } from '../game/client'
import { engine } from '../game/engine'
import { presets, type HouseRules, type Preset } from '../game/types'
import { useT, type Key, type Translate } from '../i18n'
import { texts, type T } from './roomTexts'

/** What the owner of a room chooses. */
export interface Settings {
  preset: Preset
  /** Such as `points:21`; empty, as the preset has it. */
  length: string
  /** House rules by option; empty, as the preset has it. */
  options: Record<string, string>
  turnSeconds: number
  botPauseMs: number
}

export const usualSettings: Settings = { preset: 'mesa', length: '', options: {}, turnSeconds: 30, botPauseMs: 800 }

const turns = [10, 15, 30, 45, 60, 120, 300]
const pauses = [0, 400, 800, 1500, 3000] as const

/** As the contract wants them. */
export const roomOf = ({ turnSeconds, botPauseMs, ...rules }: Settings): Schemas['NewRoom'] => ({
  rules: houseRules({ ...usualSetup, ...rules }) as Schemas['NewRoom']['rules'], turnSeconds, botPauseMs,
})

/** A room's, as the form has them. */
export function settingsOf(room: Schemas['Room']): Settings {
  const rules = room.rules as HouseRules
  const times = { turnSeconds: room.turnSeconds, botPauseMs: room.botPauseMs }
  if (typeof rules === 'string') return { preset: rules, length: '', options: {}, ...times }
  const { preset, end, target, ...options } = rules as Record<string, string | number | boolean> & { preset: Preset }
  return {
    preset, length: target === undefined ? '' : `${String(end)}:${String(target)}`,
    options: Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)])), ...times,
  }
}

export function lengthName(game: Translate, end: string, n: number): string {
  return game(end === 'hands' ? 'hands_n' : 'points_n', { n })
}

export function optionName(game: Translate, name: string, value: string): string {
  if (value === 'true') return game('yes')
  if (value === 'false') return game('no')
  return game(('option_' + name + '_' + value) as Key)
}

export const presetName = (game: Translate, preset: string) => game(('preset_' + preset) as Key)

/** A time for a move, in words. */
export const turnName = (t: T, n: number) => (n < 120 ? t('seconds', { n }) : t.plural('minutes', n / 60))

/** A pause of the machine's, as the nearest of those that can be chosen. */
export const pauseName = (t: T, ms: number) => t(`pause_${pauses.reduce((best, one) => (Math.abs(one - ms) < Math.abs(best - ms) ? one : best))}`)

/** What a preset is by itself; null while the module is not there to say. */
const usePreset = (preset: Preset) => useLoad(() => engine('rules', preset), [preset]).data

/** How long the rules are played; null as long as that is not known. */
export function useLength({ preset, length }: Settings): string | null {
  const game = useT()
  const rules = usePreset(preset)
  if (!length) return rules && lengthName(game, rules.end, rules.target)
  const [end, target] = length.split(':')
  return lengthName(game, end!, Number(target))
}

/** Preset, length, house rules, times. */
export function SettingsFields({ value, onChange }: { value: Settings; onChange: (value: Settings) => void }) {
  const t = useTexts(texts)
  const game = useT()
  const preset = usePreset(value.preset)
  const change = (part: Partial<Settings>) => onChange({ ...value, ...part })
  const numbers = (all: readonly number[], now: number) => (all.includes(now) ? all : [...all, now].sort((a, b) => a - b))
  return (
    <>
      <div class="columns">
        <SelectField
          label={game('rules')} name="preset" value={value.preset} hint={game(('preset_' + value.preset + '_help') as Key)}
          onChange={(next) => change({ preset: next, options: {}, length: '' })}
          options={presets.map((one) => ({ value: one, label: presetName(game, one) }))}
        />
        <SelectField
          label={game('length')} name="length" value={value.length} onChange={(length) => change({ length })}
          options={[
            { value: '', label: preset ? lengthName(game, preset.end, preset.target) : '…' },
            ...lengths.filter((l) => l !== `${preset?.end}:${preset?.target}`).map((one) => {
              const [end, target] = one.split(':')
              return { value: one as string, label: lengthName(game, end!, Number(target)) }
            }),
          ]}
        />
      </div>
      <div class="columns">
        <SelectField
          label={t('turn')} name="turn" value={String(value.turnSeconds)} onChange={(next) => change({ turnSeconds: Number(next) })}
          options={numbers(turns, value.turnSeconds).map((n) => ({ value: String(n), label: turnName(t, n) }))}
        />
        <SelectField
          label={t('pause')} name="pause" value={String(value.botPauseMs)} onChange={(next) => change({ botPauseMs: Number(next) })}
          options={numbers(pauses, value.botPauseMs).map((n) => ({ value: String(n), label: pauseName(t, n) }))}
        />
      </div>
      {preset && (
        <details class="house-rules" open={Object.values(value.options).some(Boolean)}>
          <summary>{t('house')}</summary>
          <div class="columns">
            {choices.map(({ name, values }) => (
              <SelectField
                key={name} label={game(('option_' + name) as Key)} name={name} value={value.options[name] ?? ''}
                onChange={(next) => change({ options: { ...value.options, [name]: next } })}
                options={[
                  { value: '', label: `${game('as_preset', { preset: presetName(game, value.preset) })}: ${optionName(game, name, String(preset[name]))}` },
                  ...values.filter((v) => v !== String(preset[name])).map((v) => ({ value: v, label: optionName(game, name, v) })),
                ]}
              />
            ))}
          </div>
        </details>
      )}
    </>
  )
}
