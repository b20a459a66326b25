import { useEffect, useState } from 'preact/hooks'

// The page is kept for starts without a server, and each start is of the newest version that is here (sw.js).

let there = false
const listeners = new Set<() => void>()

/** How often a page that stays open looks for a newer version. */
const lookEvery = 60 * 60 * 1000

/** Has the page kept, when there is nothing more urgent. */
export async function keep(): Promise<void> {
  const { serviceWorker } = navigator
  if (!serviceWorker) return
  const registration = await serviceWorker.register('/sw.js')
  // One that waited for this start.
  registration.waiting?.postMessage('take')
  registration.addEventListener('updatefound', () => {
    const worker = registration.installing
    worker?.addEventListener('statechange', () => {
      // The very first one is of this version.
      if (worker.state === 'installed' && serviceWorker.controller) tell()
    })
  })
  let looked = Date.now()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - looked < lookEvery) return
    looked = Date.now()
    void registration.update().catch(() => undefined)
  })
  // The pages that were not opened yet; not where every byte counts.
  const saving = (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true
  if (!saving) (await serviceWorker.ready).active?.postMessage('idle')
}

function tell(): void {
  there = true
  for (const listener of listeners) listener()
}

/** Whether a newer version has come since this page began; beginning anew takes it. */
export function useNewVersion(): boolean {
  const [now, set] = useState(there)
  useEffect(() => {
    const listen = () => set(there)
    listeners.add(listen)
    listen()
    return () => void listeners.delete(listen)
  }, [])
  return now
}
