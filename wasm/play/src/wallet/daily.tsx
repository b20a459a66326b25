import { ask } from '@cuatrola/client'
import { Button, Coins, Icon, ProblemNote, Section, useAction, useFormat, useTexts, useToast } from '@cuatrola/ui'
import { Check, Gift } from 'lucide'
import { api } from '../game/client'
import type { Economy } from './economy'
import { putPurse, reloadPurse, type Purse } from './purse'
import { texts } from './texts'

/** Which days of a streak are shown, and which of them are behind one. */
function days({ daily: { available, streak } }: Purse, rewards: readonly number[]) {
  const claimed = available ? streak - 1 : streak
  // Behind the last amount it goes on with it: the days then move along.
  const first = Math.max(1, Math.min(claimed + 1, available ? streak : streak + 1) - rewards.length + 1)
  return rewards.map((_, i) => {
    const day = first + i
    return { day, coins: rewards[Math.min(day, rewards.length) - 1]!, done: day <= claimed, today: available && day === streak }
  })
}

/** The day's reward: how it grows with each day, and the button that takes it. */
export function Daily({ purse, economy }: { purse: Purse; economy: Economy | null }) {
  const t = useTexts(texts)
  const f = useFormat()
  const toast = useToast()
  const { daily } = purse
  const { run, busy, problem } = useAction(async () => {
    try {
      putPurse(await ask(api.POST('/v1/wallet/daily')))
      toast.good(t('daily_claimed', { n: f.number(daily.coins) }))
    } catch (err) {
      // Perhaps on another device, or it was the day's last moment.
      reloadPurse()
      throw err
    }
  })
  const gift = economy && purse.vipUntil !== null ? economy.vip.dailyGift : 0
  const streak = daily.available ? daily.streak - 1 : daily.streak
  return (
    <Section title={t('daily')} lead={streak > 0 ? t.plural('daily_streak', streak) : undefined}>
      <div class="stack daily" data-daily={daily.available ? 'open' : 'claimed'}>
        {economy && (
          <ol class="streak">
            {days(purse, economy.daily).map(({ day, coins, done, today }) => (
              <li key={day} class={done ? 'done' : today ? 'today' : undefined} aria-current={today ? 'date' : undefined}>
                <span>{t('daily_day', { n: day })}</span>
                {done ? <i><Icon of={Check} size={15} /><span class="hidden">{t('daily_done')}</span></i> : <Coins value={coins} />}
                {today && <span class="hidden">{t('daily_today')}</span>}
              </li>
            ))}
          </ol>
        )}
        {daily.available ? (
          <div class="golden row">
            <Button kind="strong" icon={Gift} busy={busy} data-action="claim" onClick={() => void run()}>{t('daily_claim', { n: f.number(daily.coins) })}</Button>
            {gift > 0 && <span class="soft">{t('daily_gift', { n: f.number(gift) })}</span>}
          </div>
        ) : (
          <p>{t('daily_next', { n: f.number(daily.coins), when: f.dateTime(daily.nextAt) })}</p>
        )}
        {problem && <ProblemNote problem={problem} />}
        <p class="soft small">{t('daily_lead')}</p>
      </div>
    </Section>
  )
}
