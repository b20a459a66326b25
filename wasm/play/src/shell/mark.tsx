/** The house's sign: the ace of oros, from a little aside. The icons in public/ are drawn alike. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 64 64" aria-hidden="true">
    <rect x="24" y="8" width="31" height="46" rx="5" class="paper under" transform="rotate(14 40 31)" />
    <rect x="12" y="8" width="32" height="48" rx="5" class="paper" transform="rotate(-7 28 32)" />
    <g transform="rotate(-7 28 32)">
      <circle cx="28" cy="32" r="11" class="coin" /><circle cx="28" cy="32" r="7" class="ring" />
      <path d="M28 27.500 29.400 30.600 32.500 32 29.400 33.400 28 36.500 26.600 33.400 23.500 32 26.600 30.600z" class="ring" />
    </g>
  </svg>
)
