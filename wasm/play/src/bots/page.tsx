import { Button, ChoiceField, Page, ProblemNote, Section, SelectField, useAction, useLoad } from '@cuatrola/ui'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { keepSetup, setup, usualSetup, type Setup } from '../device'
import { engine } from '../game/engine'
import { OnlineTable } from '../game/online'
import { levels, presets, usualLevel, type Level, type Preset } from '../game/types'
import { useT, type Key, type Translate } from '../i18n'
import { useSession } from '../session'
import { botSeats, choices, chosenLevels, houseRules, lengths } from './setup'

/** A match against bots: where, by which rules, how long, against whom. */
export default function BotsPage() {
  const t = useT()
  const { up } = useSession()
  const { route } = useLocation()
  const [chosen, set] = useState<Setup>(() => setup() ?? usualSetup)
  const change = (part: Partial<Setup>) => {
    const next = { ...chosen, ...part }
    set(next)
    keepSetup(next)
  }
  const online = chosen.online && up !== false
  const { data: preset } = useLoad(() => engine('rules', chosen.preset), [chosen.preset])
  const presetName = t(('preset_' + chosen.preset) as Key)
  const { run, busy, problem } = useAction(async () => {
    if (online) route('/matches/' + (await OnlineTable.start(houseRules(chosen), chosenLevels(chosen))))
    else route('/table?new')
  })
  const levelOptions = levels.map((value) => ({ value, label: t(`level_${value}`) }))
  return (
    <Page title={t('play')} narrow>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Section>
          <div class="form">
            <ChoiceField
              label={t('where')} name="where" value={online ? 'online' : 'offline'} onChange={(value) => change({ online: value === 'online' })}
              options={[{ value: 'online', label: t('online'), help: t('online_help') }, { value: 'offline', label: t('offline'), help: t('offline_help') }]}
            />
            {up === false && <p class="soft" data-server="away">{t('server_away')}</p>}
            <div class="columns">
              <SelectField
                label={t('rules')} name="preset" value={chosen.preset} hint={t(('preset_' + chosen.preset + '_help') as Key)}
                onChange={(value) => change({ preset: value as Preset, options: {}, length: '' })}
                options={presets.map((value) => ({ value, label: t(('preset_' + value) as Key) }))}
              />
              <SelectField
                label={t('length')} name="length" value={chosen.length} onChange={(length) => change({ length })}
                options={[
                  { value: '', label: preset ? lengthName(t, preset.end, preset.target) : '' },
                  // Whoever is faster than the rules may have chosen what is theirs by itself.
                  ...lengths.filter((l) => l === chosen.length || l !== `${preset?.end}:${preset?.target}`).map((value) => {
                    const [end, target] = value.split(':')
                    return { value, label: lengthName(t, end!, Number(target)) }
                  }),
                ]}
              />
            </div>
            <SelectField
              label={t('level')} name="level" value={chosen.level ?? usualLevel}
              hint={chosen.level === 'each' ? undefined : t(`level_${chosen.level ?? usualLevel}_help`)}
              onChange={(value) => {
                const level = value as Level | 'each'
                // Each begins with what all had.
                change(level === 'each' ? { level, levels: chosenLevels(chosen) } : { level })
              }}
              options={[...levelOptions, { value: 'each' as const, label: t('level_each') }]}
            />
            {chosen.level === 'each' && (
              <div class="columns">
                {botSeats.map(([seat, name]) => (
                  <SelectField
                    key={seat} label={t(name)} name={`level-${seat}`} value={chosenLevels(chosen)[seat]!} options={levelOptions}
                    onChange={(value) => change({ levels: chosenLevels(chosen).map((was, i) => (i === seat ? (value as Level) : was)) })}
                  />
                ))}
              </div>
            )}
            {preset && (
              <details>
                <summary>{t('house_rules')}</summary>
                <div class="columns">
                  {choices.map(({ name, values }) => (
                    <SelectField
                      key={name} label={t(('option_' + name) as Key)} name={name} value={chosen.options[name] ?? ''}
                      onChange={(value) => change({ options: { ...chosen.options, [name]: value } })}
                      options={[
                        { value: '', label: `${t('as_preset', { preset: presetName })}: ${valueName(t, name, String(preset[name]))}` },
                        ...values.filter((v) => v !== String(preset[name])).map((value) => ({ value, label: valueName(t, name, value) })),
                      ]}
                    />
                  ))}
                </div>
              </details>
            )}
          </div>
        </Section>
        {problem && <ProblemNote problem={problem} />}
        <Button kind="strong" type="submit" data-action="start" busy={busy || up === null}>{t(busy ? 'starting' : 'start')}</Button>
      </form>
    </Page>
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
