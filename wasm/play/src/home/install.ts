import { useEffect, useState } from 'preact/hooks'

// Whether the page can be put among the device's apps. Browsers tell early, before anything is shown.

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>
}

let offered: InstallPrompt | null = null
const listeners = new Set<() => void>()
const tell = (prompt: InstallPrompt | null) => {
  offered = prompt
  for (const listener of listeners) listener()
}

addEventListener('beforeinstallprompt', (event) => {
  // Not in the way of playing: the start page offers it.
  event.preventDefault()
  tell(event as InstallPrompt)
})
addEventListener('appinstalled', () => tell(null))

const installed = () => matchMedia('(display-mode: standalone)').matches || (navigator as { standalone?: boolean }).standalone === true
// Safari on a phone or tablet installs too, but only by its own menu; an iPad says that it is a Mac.
const byHand = () => /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Mac OS X/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

type How = 'ask' | 'hand' | null

/** How the page can be installed: by asking the browser, by hand, or not at all. */
export function useInstall(): { how: How; ask(): void } {
  const find = (): How => (installed() ? null : offered ? 'ask' : byHand() ? 'hand' : null)
  const [how, set] = useState(find)
  useEffect(() => {
    const listen = () => set(find())
    listeners.add(listen)
    listen()
    return () => void listeners.delete(listen)
  }, [])
  return {
    how,
    ask: () => {
      const prompt = offered
      // Good for one time.
      tell(null)
      void prompt?.prompt()
    },
  }
}
