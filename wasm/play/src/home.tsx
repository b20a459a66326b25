import { useState } from 'preact/hooks'
import { Face } from './cards/face'
import { verify, type Engine } from './game/engine'
import { levelOf, levels, presets, usualLevel, type HouseRules, type Level, type Options, type Preset, type Verdict } from './game/types'
import type { StoppedPart } from './api/client'
import { useT, type Key, type Language, type Translate } from './i18n'
import { keepSetup, setup as keptSetup, type Setup } from './settings'
import { VerdictText } from './table/verdict'

interface Props {
  engine: Engine
  /** Whether the server answers; null while that is not known yet. */
  serverUp: boolean | null
  /** What the house has stopped for a while. */
  stopped: readonly StoppedPart[]
  language: Language
  resumable: boolean
  busy: boolean
  failure: string | null
  onStart(rules: HouseRules, levels: readonly Level[], online: boolean): void
  onResume(): void
  onAbandon(): void
  onSettings(): void
}

/** Lengths that people play; any other is for house rules by the API. */
const lengths = ['hands:11', 'hands:20', 'points:3', 'points:5', 'points:11', 'points:21'] as const

const choices: { name: keyof Options; values: readonly string[] }[] = [
  { name: 'cantes', values: ['declare', 'auto'] },
  { name: 'beat', values: ['led', 'best'] },
  { name: 'undertrump', values: ['free', 'forced'] },
  { name: 'tie', values: ['mano', 'lastTrick'] },
  { name: 'partnerExempt', values: ['true', 'false'] },
  { name: 'raising', values: ['true', 'false'] },
  { name: 'bidderLeads', values: ['true', 'false'] },
  { name: 'fortyFirst', values: ['true', 'false'] },
  { name: 'stopWhenLost', values: ['true', 'false'] },
  { name: 'exactTarget', values: ['true', 'false'] },
]

export function houseRules(chosen: Setup): HouseRules {
  const options: Record<string, unknown> = {}
  if (chosen.length) {
    const [end, target] = chosen.length.split(':')
    options.end = end
    options.target = Number(target)
  }
  for (const [name, value] of Object.entries(chosen.options)) {
    if (value) options[name] = value === 'true' ? true : value === 'false' ? false : value
  }
  return Object.keys(options).length === 0 ? chosen.preset : ({ preset: chosen.preset, ...options } as HouseRules)
}

/** The bots' levels by seat. */
export function chosenLevels(chosen: Setup): Level[] {
  return [0, 1, 2, 3].map((seat) => levelOf(chosen.level === 'each' ? chosen.levels?.[seat] : chosen.level))
}

/** Those that a bot can sit in, as they are called from one's own. */
const botSeats = [[1, 'seat_right'], [2, 'seat_partner'], [3, 'seat_left']] as const

export function Home({ engine, serverUp, stopped, language, resumable, busy, failure, onStart, onResume, onAbandon, onSettings }: Props) {
  const t = useT()
  const [chosen, set] = useState<Setup>(() => keptSetup() ?? { online: true, preset: 'mesa', length: '', options: {} })
  const change = (part: Partial<Setup>) => {
    const next = { ...chosen, ...part }
    set(next)
    keepSetup(next)
  }
  const online = chosen.online && serverUp !== false
  const preset = engine.rules(chosen.preset)
  const presetName = t(('preset_' + chosen.preset) as Key)

  return (
    <div class="home">
      <header class="bar">
        <span class="brand" aria-hidden="true">Cuatrola</span>
        <button type="button" class="icon" aria-label={t('settings')} title={t('settings')} data-action="settings" onClick={onSettings}>
          <svg viewBox="0 0 20 20" aria-hidden="true"><path d="M3 6h8m4 0h2M3 14h2m4 0h8M11 4v4M9 12v4" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" /></svg>
        </button>
      </header>
      <main id="content">
        <div class="hero">
          <div class="fan" aria-hidden="true">
            {['AB', 'CE', 'RC', 'AO'].map((card) => <span class="card" key={card}><Face card={card} /></span>)}
          </div>
          <h1>Cuatrola</h1>
          <p>{t('tagline')}</p>
        </div>

        {stopped.length > 0 && (
          <section class="panel stopped" aria-label={t('stopped')}>
            {stopped.map(({ part, text, until }) => (
              <p key={part} data-stopped={part}>
                {text[language]}
                {until && <small>{t('stopped_until', { when: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(until)) })}</small>}
              </p>
            ))}
          </section>
        )}

        {resumable && (
          <section class="panel resume">
            <p>{t('resume_help')}</p>
            <div class="row">
              <button type="button" class="strong" data-action="resume" disabled={busy} onClick={onResume}>{t('resume')}</button>
              <button type="button" class="plain" data-action="abandon" onClick={onAbandon}>{t('abandon')}</button>
            </div>
          </section>
        )}

        <form
          class="panel"
          onSubmit={(event) => {
            event.preventDefault()
            onStart(houseRules(chosen), chosenLevels(chosen), online)
          }}
        >
          <h2>{t('play')}</h2>
          <fieldset class="switch">
            <legend>{t('where')}</legend>
            <label>
              <input type="radio" name="where" value="online" checked={online} disabled={serverUp === false} onChange={() => change({ online: true })} />
              <span><strong>{t('online')}</strong><small>{t('online_help')}</small></span>
            </label>
            <label>
              <input type="radio" name="where" value="offline" checked={!online} onChange={() => change({ online: false })} />
              <span><strong>{t('offline')}</strong><small>{t('offline_help')}</small></span>
            </label>
          </fieldset>
          {serverUp === false && <p class="hint" data-server="away">{t('server_away')}</p>}

          <div class="fields">
            <label>
              <span>{t('rules')}</span>
              <select
                name="preset"
                value={chosen.preset}
                onChange={(event) => change({ preset: event.currentTarget.value as Preset, options: {}, length: '' })}
              >
                {presets.map((p) => <option key={p} value={p}>{t(('preset_' + p) as Key)}</option>)}
              </select>
            </label>
            <label>
              <span>{t('length')}</span>
              <select name="length" value={chosen.length} onChange={(event) => change({ length: event.currentTarget.value })}>
                <option value="">{lengthName(t, preset.end, preset.target)}</option>
                {lengths.filter((l) => l !== `${preset.end}:${preset.target}`).map((l) => {
                  const [end, target] = l.split(':')
                  return <option key={l} value={l}>{lengthName(t, end!, Number(target))}</option>
                })}
              </select>
            </label>
          </div>
          <p class="hint">{t(('preset_' + chosen.preset + '_help') as Key)}</p>

          <div class="fields">
            <label>
              <span>{t('level')}</span>
              <select
                name="level"
                value={chosen.level ?? usualLevel}
                onChange={(event) => {
                  const level = event.currentTarget.value as Level | 'each'
                  // Each begins with what all had.
                  change(level === 'each' ? { level, levels: chosenLevels(chosen) } : { level })
                }}
              >
                {levels.map((l) => <option key={l} value={l}>{t(`level_${l}`)}</option>)}
                <option value="each">{t('level_each')}</option>
              </select>
            </label>
          </div>
          {chosen.level === 'each' ? (
            <div class="fields options">
              {botSeats.map(([seat, name]) => (
                <label key={seat}>
                  <span>{t(name)}</span>
                  <select
                    name={`level-${seat}`}
                    value={chosenLevels(chosen)[seat]}
                    onChange={(event) => change({ levels: chosenLevels(chosen).map((was, i) => (i === seat ? (event.currentTarget.value as Level) : was)) })}
                  >
                    {levels.map((l) => <option key={l} value={l}>{t(`level_${l}`)}</option>)}
                  </select>
                </label>
              ))}
            </div>
          ) : <p class="hint">{t(`level_${chosen.level ?? usualLevel}_help`)}</p>}

          <details>
            <summary>{t('house_rules')}</summary>
            <div class="fields options">
              {choices.map(({ name, values }) => (
                <label key={name}>
                  <span>{t(('option_' + name) as Key)}</span>
                  <select
                    name={name}
                    value={chosen.options[name] ?? ''}
                    onChange={(event) => change({ options: { ...chosen.options, [name]: event.currentTarget.value } })}
                  >
                    <option value="">{t('as_preset', { preset: presetName })}: {valueName(t, name, String(preset[name]))}</option>
                    {values.filter((v) => v !== String(preset[name])).map((v) => <option key={v} value={v}>{valueName(t, name, v)}</option>)}
                  </select>
                </label>
              ))}
            </div>
          </details>

          {failure && <p class="verdict bad" role="alert">{failure}</p>}
          <button type="submit" class="strong big" data-action="start" disabled={busy || serverUp === null}>{t(busy ? 'starting' : 'start')}</button>
        </form>

        <Checker engine={engine} />
      </main>
    </div>
  )
}

function lengthName(t: Translate, end: string, n: number): string {
  return t(end === 'hands' ? 'hands_n' : 'points_n', { n })
}

function valueName(t: Translate, name: string, value: string): string {
  if (value === 'true') return t('yes')
  if (value === 'false') return t('no')
  return t(('option_' + name + '_' + value) as Key)
}

/** Checks a downloaded match with the module, with no server involved. */
function Checker({ engine }: { engine: Engine }) {
  const t = useT()
  const [verdict, set] = useState<Verdict | null>(null)
  return (
    <section class="panel checker">
      <label class="file">
        <span>{t('checked_record')}</span>
        <input
          type="file"
          accept=".json,.jsonl,application/json"
          onChange={async (event) => {
            const file = event.currentTarget.files?.[0]
            if (!file) return
            try {
              set(verify(engine, JSON.parse(await file.text())))
            } catch {
              set({ fair: 'bad_record', hand: 0, hands: 0, valid: false })
            }
          }}
        />
      </label>
      <div aria-live="polite">{verdict && <VerdictText verdict={verdict} />}</div>
    </section>
  )
}
