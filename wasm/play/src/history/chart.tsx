import type { Seat } from '@cuatrola/rules'
import { useId } from 'preact/hooks'
import type { Place, Point } from './review'
import type { Words } from './words'

const width = 600
const height = 140

/** How likely a pair was to win the match, step by step: a drawing of our own, and its numbers by hand in a table. */
export function Course({ words, course, at, below, onGo }: {
  words: Words
  course: readonly Point[]
  at: Place
  below: Seat
  onGo(hand: number, step: number): void
}) {
  const { t, f } = words
  const id = useId()
  if (course.length < 2) return null
  const x = (i: number) => (i / (course.length - 1)) * width
  const y = (chance: number) => (1 - chance) * height
  const line = course.map((point, i) => `${x(i).toFixed(1)},${y(point.chance).toFixed(1)}`).join(' ')
  // Where the step is that is shown, or the one before it: the deal of a hand is none.
  const here = Math.max(0, course.filter((point) => point.hand < at.hand || (point.hand === at.hand && point.step <= at.step)).length - 1)
  const hands = [...new Set(course.map((point) => point.hand))].map((hand) => {
    const points = course.filter((point) => point.hand === hand)
    return { hand, points, from: course.indexOf(points[0]!) }
  })
  return (
    <figure class="coach-course" aria-labelledby={id}>
      <figcaption id={id}><strong>{t('chart')}</strong> <span class="soft">{t('chart_lead', { who: words.pair((below & 1) as 0 | 1) })}</span></figcaption>
      <div class="coach-course-frame" aria-hidden="true">
        <span class="coach-course-axis">100 %</span><span class="coach-course-axis half">50 %</span><span class="coach-course-axis low">0 %</span>
        <svg
          viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none"
          onPointerDown={(event) => {
            const box = event.currentTarget.getBoundingClientRect()
            const point = course[Math.round(((event.clientX - box.left) / box.width) * (course.length - 1))]
            if (point) onGo(point.hand, point.step)
          }}
        >
          {hands.map(({ hand, points, from }, i) => (
            <rect key={hand} class={i % 2 ? 'odd' : 'even'} x={x(Math.max(0, from - 0.5))} y="0" width={x(points.length)} height={height} />
          ))}
          <line class="half" x1="0" x2={width} y1={height / 2} y2={height / 2} />
          <polygon points={`0,${height} ${line} ${width},${height}`} />
          <polyline points={line} />
          <line class="now" x1={x(here)} x2={x(here)} y1="0" y2={height} />
        </svg>
      </div>
      <details>
        <summary>{t('chart_numbers')}</summary>
        <div class="table-frame small" tabIndex={0} role="group" aria-label={t('chart')}>
          <table>
            <caption class="hidden">{t('chart')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('chart_hand')}</th><th scope="col" class="end">{t('chart_start')}</th><th scope="col" class="end">{t('chart_low')}</th>
                <th scope="col" class="end">{t('chart_high')}</th><th scope="col" class="end">{t('chart_end')}</th>
              </tr>
            </thead>
            <tbody>
              {hands.map(({ hand, points }) => {
                const chances = points.map((point) => point.chance)
                return (
                  <tr key={hand}>
                    <th scope="row">{hand + 1}</th>
                    {[chances[0]!, Math.min(...chances), Math.max(...chances), chances.at(-1)!].map((chance, i) => <td key={i} class="end">{f.percent(chance, 0)}</td>)}
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}
