import { ask } from '@cuatrola/client'
import { Badge, Button, Icon, ProblemNote, Section, useAction, useFormat, useTexts, useToast, type Format, type Translate } from '@cuatrola/ui'
import { Sparkles, Timer, Zap } from 'lucide'
import { api, client } from '../game/client'
import { Booster, Pass } from './art'
import { together, type Economy } from './economy'
import { useLasting, useNow } from './now'
import { putPurse, reloadPurse, type Purse } from './purse'
import { texts } from './texts'

type T = Translate<keyof (typeof texts)['es'] & string>

/** What a booster does, as the economy has it. */
export function useBoosterGives(): (economy: Economy) => string {
  const t = useTexts(texts)
  const f = useFormat()
  const lasting = useLasting()
  return ({ booster }) => {
    const times = f.number(booster.percent / 100)
    return booster.lasts.minutes
      ? t('booster_gives_time', { times, span: lasting(booster.lasts.minutes) })
      : t.plural('booster_gives_matches', booster.lasts.matches ?? 1, { times })
  }
}

/** What a pass does. */
export function passGives(t: T, f: Format, economy: Economy): string[] {
  return [
    t('vip_gives', { times: f.number(economy.vip.percent / 100) }),
    economy.vip.dailyGift > 0 ? t('vip_gift', { n: f.number(economy.vip.dailyGift) }) : '',
    t('vip_together', { times: f.number(together(economy) / 100) }),
  ].filter(Boolean)
}

/** Seconds until a moment of the server's, none once it is past. */
function secondsTo(moment: string | null, now: number): number {
  const at = client.localTime(moment)
  return at === null ? 0 : Math.max(0, Math.round((at - now) / 1000))
}

/** Boosters that one has, and the one that works. */
export function Boosters({ purse, economy }: { purse: Purse; economy: Economy | null }) {
  const t = useTexts(texts)
  const f = useFormat()
  const toast = useToast()
  const gives = useBoosterGives()
  const { booster } = purse
  const left = secondsTo(booster.until, useNow(20))
  const working = left > 0 || booster.matches > 0
  const waits = working && economy?.booster.stack === 'refuse'
  const { run, busy, problem } = useAction(async () => {
    try {
      putPurse(await ask(api.POST('/v1/wallet/booster')))
      toast.good(t('booster_started'))
    } catch (err) {
      reloadPurse()
      throw err
    }
  })
  return (
    <Section title={t('booster')}>
      <div class="stack" data-booster={working ? 'working' : 'none'} data-held={booster.held}>
        <div class="having">
          <Booster percent={economy?.booster.percent} />
          <div>
            {working && (
              <p class="working">
                <Icon of={Timer} size={16} />
                {left > 0 ? t('booster_runs', { span: f.span(left < 60 ? left : left - (left % 60)) }) : t.plural('booster_runs_matches', booster.matches)}
              </p>
            )}
            <p><strong>{booster.held > 0 ? t.plural('booster_held', booster.held) : t('booster_none')}</strong></p>
            {economy && <p class="soft">{gives(economy)}</p>}
            {booster.held === 0 && !working && <p><a href="/shop">{t('in_shop')}</a></p>}
          </div>
        </div>
        {booster.held > 0 && !waits && (
          <div class="golden row"><Button kind={working ? 'plain' : 'strong'} icon={Zap} busy={busy} data-action="start-booster" onClick={() => void run()}>{t('booster_start')}</Button></div>
        )}
        {booster.held > 0 && working && <p class="soft small">{t(waits ? 'booster_wait' : 'booster_adds')}</p>}
        {problem && <ProblemNote problem={problem} />}
      </div>
    </Section>
  )
}

/** The pass: until when, and what it is good for. */
export function VipPass({ purse, economy }: { purse: Purse; economy: Economy | null }) {
  const t = useTexts(texts)
  const f = useFormat()
  const left = secondsTo(purse.vipUntil, useNow(60))
  return (
    <Section title={t('vip')}>
      <div class="stack" data-vip={left > 0}>
        <div class="having">
          <Pass />
          <div>
            {left > 0 ? (
              <p class="row"><strong>{t('vip_until', { when: f.date(purse.vipUntil!) })}</strong> <Badge tone="good">{t('vip_left', { span: f.span(left) })}</Badge></p>
            ) : <p><strong>{t('vip_none')}</strong></p>}
            {economy && (
              <ul class="gives soft">
                {passGives(t, f, economy).map((text) => <li key={text}><Icon of={Sparkles} size={14} />{text}</li>)}
              </ul>
            )}
            {left === 0 && <p><a href="/shop">{t('in_shop')}</a></p>}
          </div>
        </div>
      </div>
    </Section>
  )
}
