import './home.css'
import { Button, ButtonLink, explain, Note, useHeading, useLanguage, useTexts } from '@cuatrola/ui'
import { Play } from 'lucide'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Face } from '../cards/face'
import { keptRecord } from '../game/kept'
import { useT, type Key } from '../i18n'
import { HomeCards } from '../lobby/homeCards'
import { useSession } from '../session'
import { More } from './more'
import { Stopped } from './stopped'
import { texts } from './texts'
import { Today } from './today'

/** Where one arrives: a hand is one tap away. */
export function Home() {
  const t = useTexts(texts)
  const language = useLanguage()
  const { player, up, keptOut } = useSession()
  return (
    <div class="home">
      <Hero />
      {keptOut && <Note tone="bad" title={t('kept_out')}>{explain(language, keptOut)} {t('kept_out_help')}</Note>}
      <Stopped />
      <section aria-labelledby="people">
        <h2 id="people">{t('people')}</h2>
        {up === false ? <p class="soft">{t('away')}</p> : <HomeCards />}
      </section>
      {player && up !== false && !keptOut && <Today />}
      <More />
    </div>
  )
}

/** A fan of cards on the felt, and the one thing to do: play. */
function Hero() {
  const t = useTexts(texts)
  const game = useT()
  const heading = useHeading('Cuatrola')
  const { route } = useLocation()
  const [kept] = useState(keptRecord)
  const rules = typeof kept?.rules === 'string' ? kept.rules : kept?.rules.preset
  return (
    <header class="hero on-felt">
      <div class="fan" aria-hidden="true">
        {['SB', 'CE', 'RC', '3O', 'AO'].map((card) => <span class="card" key={card}><Face card={card} /></span>)}
      </div>
      <div class="words">
        <h1 ref={heading} tabIndex={-1}>Cuatrola</h1>
        <p>{kept ? t('resume_help', { rules: game(('preset_' + rules) as Key) }) : t('tagline')}</p>
        {kept ? (
          <div class="row">
            <Button kind="strong" icon={Play} data-action="resume" onClick={() => route('/table')}>{t('resume')}</Button>
            <Button data-action="play-now" onClick={() => route('/table?new')}>{t('anew')}</Button>
          </div>
        ) : (
          <>
            <div class="row">
              <Button kind="strong" icon={Play} data-action="play-now" onClick={() => route('/table?new')}>{t('play_now')}</Button>
              <ButtonLink href="/bots" data-action="choose">{t('choose')}</ButtonLink>
            </div>
            <small>{t('play_now_help')}</small>
          </>
        )}
      </div>
    </header>
  )
}
