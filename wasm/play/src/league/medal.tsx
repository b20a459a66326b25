/** A division's sign: a coin of its metal, the highest with a crown. Level 0 is the lowest of `of`. */
export function Medal({ level, of, small = false }: { level: number; of: number; small?: boolean }) {
  const highest = level === of - 1 && of > 1
  // The game's four have their metals; of more or fewer the lowest is bronze and the highest but one gold.
  const metal = highest ? 'master' : (['bronze', 'silver', 'gold'] as const)[Math.max(0, Math.min(2, of > 4 ? Math.round((level / Math.max(1, of - 2)) * 2) : level))]
  return (
    <svg class={`medal ${metal}${small ? ' small' : ''}`} viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      {!small && <path class="band" d="M18 4H30L36 24H26zM46 4H34L28 24H38z" />}
      <g transform={small ? 'translate(32 32) scale(1.32)' : 'translate(32 40)'}>
        <circle class="metal" r="21" />
        <circle class="line" r="16.500" />
        {highest
          ? <path class="sign" d="M-10 7-12-6-5-1 0-9 5-1 12-6 10 7z" />
          : <path class="sign" d="M0-11 2.900-3.400 11-3.100 4.600 1.900 6.800 9.700 0 5.200-6.800 9.700-4.600 1.900-11-3.100-2.900-3.400z" />}
        <path class="shine" d="M-17-6A18 18 0 0 1-4-17.500" />
      </g>
    </svg>
  )
}
