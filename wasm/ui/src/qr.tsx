import { useMemo } from 'preact/hooks'
import { encode } from 'uqr'

/** A QR code, drawn here: what is in it goes to nobody. */
export function QR({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: 2 })
    const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    return { path: squares.join(''), size }
  }, [text])
  return <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges"><path d={path} /></svg>
}
