import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** What a link in one of the server's mails asks of the page. */
export interface MailLink {
  kind: 'verify' | 'reset'
  token: string
}

/** The link that the page was opened by, taken out of the address: nobody else shall find it in the history. */
function takeMailLink(): MailLink | null {
  const found = /^#(verify|reset)=([\w-]+)$/.exec(location.hash)
  if (!found) return null
  history.replaceState(null, '', location.pathname + location.search)
  return { kind: found[1] as MailLink['kind'], token: found[2]! }
}

type Dialog = ComponentType<{ link: MailLink; onClose(): void }>

/** Shows what a mail's link asks for. Few people come by one, so that its dialog comes when it is needed. */
export function MailLinks() {
  const [link, setLink] = useState(takeMailLink)
  const [Dialog, setDialog] = useState<Dialog | null>(null)

  // A link that opens in a tab that has the page already.
  useEffect(() => {
    const look = () => {
      const found = takeMailLink()
      if (found) setLink(found)
    }
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  useEffect(() => {
    if (link && !Dialog) void import('./mailDialog').then((module) => setDialog(() => module.MailDialog))
  }, [link])

  // Another link may have come before the page hears that this one's dialog was closed.
  return link && Dialog && <Dialog key={link.token} link={link} onClose={() => setLink((now) => (now === link ? null : now))} />
}
