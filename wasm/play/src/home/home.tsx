import { Button, ButtonLink, Page, Section, useLanguage, useTexts } from '@cuatrola/ui'
import { Play } from 'lucide'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import { Face } from '../cards/face'
import { keptMatch, forgetMatch } from '../game/kept'
import { useSession } from '../session'
import { texts } from './texts'

/** Where one arrives: a hand is one tap away. */
export function Home() {
  const t = useTexts(texts)
  const { route } = useLocation()
  const [kept, setKept] = useState(keptMatch)
  return (
    <Page title={t('title')} lead={t('tagline')}>
      <div class="fan" aria-hidden="true">
        {['AB', 'CE', 'RC', 'AO'].map((card) => <span class="card" key={card}><Face card={card} /></span>)}
      </div>
      <Stopped />
      {kept && (
        <Section title={t('resume_help')}>
          <div class="row">
            <Button kind="strong" data-action="resume" onClick={() => route('/table')}>{t('resume')}</Button>
            <Button
              data-action="abandon"
              onClick={() => {
                forgetMatch()
                setKept(false)
              }}
            >
              {t('abandon')}
            </Button>
          </div>
        </Section>
      )}
      <Section title={t('play_now_help')}>
        <div class="row">
          <Button kind="strong" icon={Play} data-action="play-now" onClick={() => route('/table?new')}>{t('play_now')}</Button>
          <ButtonLink href="/bots" data-action="choose">{t('choose')}</ButtonLink>
        </div>
      </Section>
      <p><a href="/check">{t('check')}</a></p>
    </Page>
  )
}

/** What the house has stopped for a while. */
function Stopped() {
  const language = useLanguage()
  const { stopped } = useSession()
  return <>{stopped.map(({ part, text }) => <p key={part} class="note warn" data-stopped={part}>{text[language]}</p>)}</>
}
