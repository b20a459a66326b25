import { Coins, Facts, Note, useFormat, useTexts } from '@cuatrola/ui'
import { areas } from '../areas'
import type { Schemas } from '../api/types'
import { useSession } from '../session'
import { texts } from './texts'

type Forecast = Schemas['EconomyForecast']
type Need = Schemas['EconomyNeed']

/** Whether a second person has to agree, and why; what a simulation has said, or where to have one. */
export function Judgement({ need, forecast, share, back = false, simulate }: {
  need: Need | undefined
  forecast: Forecast | undefined
  share: number | null
  back?: boolean
  /** Where the document can be simulated. */
  simulate?: string | null
}) {
  const t = useTexts(texts)
  const f = useFormat()
  return (
    <div class="stack">
      {forecast && <ForecastFacts forecast={forecast} />}
      {need
        ? (
          <Note
            tone="warn" title={t('needs_second')}
            action={simulate && (need === 'not_simulated') ? <a class="button plain small" href={simulate}>{t('simulate')}</a> : undefined}
          >
            {t(`need_${need}`, { share: f.number(share ?? 0) })}
          </Note>
        )
        : <Note tone="good">{back ? t('goes_back') : t('needs_nobody')}</Note>}
    </div>
  )
}

export function ForecastFacts({ forecast }: { forecast: Forecast }) {
  const t = useTexts(texts)
  const f = useFormat()
  const share = forecast.before === 0 ? null : (forecast.after - forecast.before) / forecast.before
  return (
    <Facts
      of={[
        [t('issued_before'), <Coins value={forecast.before} />],
        [t('issued_after'), <Coins value={forecast.after} />],
        [t('moves_by'), share === null ? '—' : <strong class={share > 0 ? 'gain' : share < 0 ? 'loss' : ''}>{(share > 0 ? '+' : '') + f.percent(share)}</strong>],
        [t('simulated'), `${f.dateTime(forecast.at)} · ${t('over_days', { n: f.number(forecast.days) })}`],
      ]}
    />
  )
}

/** Where a document is simulated, for whoever may. */
export function useSimulation(): (source: string) => string | null {
  const { may } = useSession()
  const path = areas.find((a) => a.id === 'simulation')?.path
  return (source) => (path && may('simulation.run') ? `${path}?of=${encodeURIComponent(source)}` : null)
}
