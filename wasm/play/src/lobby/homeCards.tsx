import './around.css'
import { Icon, useTexts } from '@cuatrola/ui'
import { Coins, Users, Zap, type IconNode } from 'lucide'
import { texts } from './texts'

/** The ways to play with people, for the home page. */
export function HomeCards() {
  const t = useTexts(texts)
  return (
    <nav class="ways" aria-label={t('with_people')}>
      <Way href="/queue" name="quick" icon={Zap} title={t('quick')} help={t('quick_help')} />
      <Way href="/rooms" name="rooms" icon={Users} title={t('rooms')} help={t('rooms_help')} />
      <Way href="/queue?stake" name="staked" icon={Coins} title={t('staked')} help={t('staked_help')} />
    </nav>
  )
}

function Way({ href, name, icon, title, help }: { href: string; name: string; icon: IconNode; title: string; help: string }) {
  return (
    <a class="way" href={href} data-way={name}>
      <span class="sign"><Icon of={icon} size={22} /></span>
      <span class="words"><strong>{title}</strong><small>{help}</small></span>
    </a>
  )
}
