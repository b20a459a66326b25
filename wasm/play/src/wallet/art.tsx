import type { ComponentChildren } from 'preact'
import './art.css'

// Drawings of what one can have. They say nothing by themselves: the words are beside them.

const Art = ({ children, name }: { children: ComponentChildren; name: string }) => (
  <svg class={`art ${name}`} viewBox="0 0 96 80" aria-hidden="true" focusable="false">{children}</svg>
)

/** The coin of oros, seen from before; around the origin. */
function Face({ r }: { r: number }) {
  const star = `M0${-r * 0.36} ${r * 0.1}${-r * 0.1} ${r * 0.36} 0 ${r * 0.1} ${r * 0.1} 0 ${r * 0.36} ${-r * 0.1} ${r * 0.1} ${-r * 0.36} 0 ${-r * 0.1}${-r * 0.1}z`
  return (
    <g class="face-of-coin">
      <circle r={r} class="gold" /><circle r={r * 0.68} class="ring" /><path d={star} class="ring" />
      <path class="shine" d={`M${-r * 0.78} ${-r * 0.22}A${r * 0.81} ${r * 0.81} 0 0 1 ${-r * 0.1} ${-r * 0.8}`} />
    </g>
  )
}

/** Coins on one another; the lowest stands at y. */
function Stack({ x, y, coins }: { x: number; y: number; coins: number }) {
  return (
    <g>
      {Array.from({ length: coins }, (_, i) => (
        <g key={i} transform={`translate(${x + (i % 2 ? 0.7 : -0.7)} ${y - i * 6})`}>
          <path class="gold deep" d="M-15 0V5A15 5.2 0 0 0 15 5V0z" />
          <ellipse class="gold" rx="15" ry="5.2" />
          <ellipse class="ring" rx="10" ry="3.2" />
        </g>
      ))}
    </g>
  )
}

const heaps: readonly (readonly (readonly [x: number, y: number, coins: number])[])[] = [
  [[52, 62, 1]],
  [[60, 60, 3]],
  [[38, 56, 4], [66, 60, 6]],
  [[30, 55, 5], [66, 55, 8], [48, 63, 6]],
  [[24, 54, 6], [48, 52, 10], [72, 54, 8], [36, 63, 4], [62, 64, 6]],
]

/** Some coins, the more the higher. */
export function Heap({ coins }: { coins: number }) {
  const size = coins < 500 ? 0 : coins < 1500 ? 1 : coins < 4000 ? 2 : coins < 12_000 ? 3 : 4
  return (
    <Art name="heap">
      {heaps[size]!.map(([x, y, n]) => <Stack key={`${x} ${y}`} x={x} y={y} coins={n} />)}
      {size < 2 && <g transform="translate(33 51)"><Face r={17} /></g>}
    </Art>
  )
}

/** A gold booster: one coin becomes as many as it says. */
export function Booster({ percent }: { percent?: number | undefined }) {
  return (
    <Art name="booster">
      <g transform="translate(61 42)"><circle class="gold deep" r="25" /></g>
      <g transform="translate(54 42)"><circle class="gold deep" r="25" /></g>
      <g transform="translate(46 42)">
        <circle class="gold" r="25" /><circle class="ring" r="20.5" />
        <path class="bolt" d="M4-17-11 4H-1L-5 18 12-5H2z" />
      </g>
      {percent !== undefined && (
        <g transform="translate(76 20)"><rect class="tag" x="-17" y="-11" width="34" height="22" rx="11" /><text y="5">×{percent / 100}</text></g>
      )}
    </Art>
  )
}

/** A VIP pass. */
export const Pass = () => (
  <Art name="pass">
    <g transform="rotate(-7 48 40)">
      <path class="felt" d="M12 20A4 4 0 0 1 16 16H80A4 4 0 0 1 84 20V33A7 7 0 0 0 84 47V60A4 4 0 0 1 80 64H16A4 4 0 0 1 12 60V47A7 7 0 0 0 12 33z" />
      <path class="edge" d="M17 22A1.5 1.5 0 0 1 18.500 20.500H77.500A1.500 1.500 0 0 1 79 22V30A11 11 0 0 0 79 50V58A1.500 1.500 0 0 1 77.500 59.500H18.500A1.500 1.500 0 0 1 17 58V50A11 11 0 0 0 17 30z" />
      <path class="crown" d="M33 37.500 30 24 39.500 30.500 48 21 56.500 30.500 66 24 63 37.500z" />
      <text x="48" y="54">VIP</text>
    </g>
  </Art>
)

/** One coin. */
export const OneCoin = () => <Art name="one"><g transform="translate(48 40)"><Face r={34} /></g></Art>
