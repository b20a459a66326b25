import type { Suit } from './card'

const petals = (n: number, d: string, cls: string) =>
  Array.from({ length: n }, (_, i) => <path key={i} class={cls} d={d} transform={`rotate(${(360 / n) * i})`} />)

const bowl = 'M-7.4-8.6H7.4C7.8-3 5.2 1.3 1.7 2.3V4.7C4.2 5.1 5.9 6.7 6.1 9.2H-6.1C-5.9 6.7-4.2 5.1-1.7 4.7V2.3C-5.2 1.3-7.8-3-7.4-8.6z'
const blade = 'M0-10.6 2.3-7.4V3.4H-2.3V-7.4z'
const club = 'M-1.9 9.7C-2.2 6-3.4 2.4-3.8-.8-5.6-1.3-5.9-3.6-4.1-4.5-4.5-7.6-3-10 0-10S4.5-7.8 4.1-5.2C6-4.6 5.9-2.2 4-1.7 3.6 1.4 2.3 6 1.9 9.7z'

/** The suits' signs, each drawn in a box of 20 by 20 around the origin, to be told apart at the size of a letter. */
export function Sign({ suit }: { suit: Suit }) {
  switch (suit) {
    case 'O':
      return (
        <g class="sign oros">
          <circle r="9.3" class="fill edge" />
          <circle r="6.4" class="light" />
          {petals(6, 'M0-5.6C1.7-4 1.7-2.2 0-.8-1.7-2.2-1.7-4 0-5.6z', 'mark')}
          <circle r="1.5" class="dot" />
        </g>
      )
    case 'C':
      return (
        <g class="sign copas">
          <path class="fill edge" d={bowl} />
          <path class="light" d="M-5.7-7H-2.8C-3.2-3.2-2.4-.6-1.4 1-4.3-.4-5.8-3.4-5.7-7z" />
          <path class="gold" d="M-7.9-9.9H7.9V-6.9H-7.9zM-2.3 1.9H2.3V4.5H-2.3zM-6.6 7.4H6.6V9.7H-6.6z" />
        </g>
      )
    case 'E':
      return (
        <g class="sign espadas" transform="rotate(34)">
          <path class="fill edge" d={blade} />
          <path class="light" d="M-.4-8.6V2.6H-1.5V-7.2z" />
          <path class="gold" d="M-6.4 2.4C-3 3.4 3 3.4 6.4 2.4 7.3 3.8 6.6 5.6 5.6 5.6 3.2 4.9-3.2 4.9-5.6 5.6-6.6 5.6-7.3 3.8-6.4 2.4z" />
          <path class="grip" d="M-1.3 5.1H1.3V8.7H-1.3z" />
          <circle class="gold" cy="9.6" r="1.8" />
        </g>
      )
    case 'B':
      return (
        <g class="sign bastos" transform="rotate(34)">
          <path class="fill edge" d={club} />
          <path class="light" d="M-2.7-7.8C-3.4-4.6-2.3 2-1 8.4-.2 3.4-1.7-3.4-1.1-8.4z" />
          <ellipse class="cut" cy="-8.7" rx="2.3" ry="1.5" />
          <ellipse class="cut" cx="-4.5" cy="-2.7" rx="1.1" ry="1.6" transform="rotate(14 -4.5 -2.7)" />
          <ellipse class="cut" cx="4.6" cy="-3.4" rx="1.1" ry="1.6" transform="rotate(-14 4.6 -3.4)" />
        </g>
      )
  }
}

/** The same, with nothing fine about them: one strong colour each. */
export function ClearSign({ suit }: { suit: Suit }) {
  switch (suit) {
    case 'O':
      return <path class="plain" fill-rule="evenodd" d="M0-9.6A9.6 9.6 0 1 1 0 9.6 9.6 9.6 0 1 1 0-9.6zM0-5A5 5 0 1 0 0 5 5 5 0 1 0 0-5z" />
    case 'C':
      return <path class="plain" d="M-8.4-9.4H8.4C8.6-3 5.6 1 2 2.2V5C5 5.4 7 6.8 7.2 9.4H-7.2C-7 6.8-5 5.4-2 5V2.2C-5.6 1-8.6-3-8.4-9.4z" />
    case 'E':
      return <path class="plain" transform="rotate(34)" d="M0-11.6 3-7.6V2H7.4V5.4H2V10.6H-2V5.4H-7.4V2H-3V-7.6z" />
    case 'B':
      return <path class="plain" transform="rotate(34)" d="M-2.4 10.6C-2.8 6-4 3.6-4.4.2-8 .2-8.4-4.4-5-4.8-5.4-8.6-3-11 0-11S5.4-9 5-5.6C8.4-5.2 8-.6 4.4-.6 4 3 2.8 6 2.4 10.6z" />
  }
}

/** The aces' signs, as large as the card: around the origin, 70 wide and 100 high. */
export function AceSign({ suit }: { suit: Suit }) {
  switch (suit) {
    case 'O':
      return (
        <g class="sign ace oros">
          {petals(24, 'M0-37.5 3.6-30H-3.6z', 'gold')}
          <circle r="31" class="fill edge" />
          <circle r="26" class="light ring" />
          <circle r="20.5" class="fill ring" />
          {petals(8, 'M0-18.6C5-13.4 5-7.6 0-3.4-5-7.6-5-13.4 0-18.6z', 'light ring')}
          {petals(8, 'M0-24.6a1.5 1.5 0 1 1 0 3 1.5 1.5 0 1 1 0-3z', 'dot')}
          <circle r="4.6" class="dot" />
          <circle r="1.8" class="gold" />
        </g>
      )
    case 'C':
      return (
        <g class="sign ace copas">
          <path class="gold" d="M-27-12C-37-13-39-28-30-31-25-32-22-28-24-24-29-26-31-19-25-17zM27-12C37-13 39-28 30-31 25-32 22-28 24-24 29-26 31-19 25-17z" />
          <path class="fill edge" d="M-25-33H25C27-12 19 7 6 12V22C15 23 22 30 23 41H-23C-22 30-15 23-6 22V12C-19 7-27-12-25-33z" />
          <path class="light" d="M-20-28H-11C-13-14-10-2-4 7-15 1-20.5-12-20-28z" />
          <path class="gold" d="M-27.5-38H27.5V-29H-27.5zM-24.5-15C-12-10.5 12-10.5 24.5-15L23.2-9.5C11-5 -11-5 -23.2-9.5zM-8 11.5H8V15.5H-8zM-9 18.5H9V23H-9zM-25 37H25V43.5H-25z" />
          <path class="mark" d="M0-27 4.5-21 0-15-4.5-21z" />
          <circle class="dot" cx="-14" cy="-21.5" r="2.4" /><circle class="dot" cx="14" cy="-21.5" r="2.4" />
          <path class="mark" d="M0-3.5C4 0 4 4 0 8-4 4-4 0 0-3.5z" />
        </g>
      )
    case 'E':
      return (
        <g class="sign ace espadas" transform="rotate(12)">
          <path class="fill edge" d="M0-56 8.5-45V16H-8.5V-45z" />
          <path class="light" d="M-1.5-51V15H-6.5V-44z" />
          <path class="mark thin" d="M1.5-42V12" />
          <path class="gold" d="M-29 11C-14 16 14 16 29 11 34 15 33 24 27 25.5 14 22-14 22-27 25.5-33 24-34 15-29 11z" />
          <circle class="dot" cy="19" r="3.2" />
          <path class="grip" d="M-4.6 24H4.6V42H-4.6z" />
          <path class="mark thin" d="M-4.6 29 4.6 26M-4.6 34 4.6 31M-4.6 39 4.6 36" />
          <circle class="gold" cy="46.5" r="6.4" /><circle class="dot" cy="46.5" r="2.2" />
          <path class="ribbon" d="M-8.5-20C-22-16-24-28-15-30 -9-31-2-24 8.5-26 20-28 24-18 16-13 8-9-4-10-8.5-4" />
        </g>
      )
    case 'B':
      return (
        <g class="sign ace bastos" transform="rotate(16)">
          <path class="fill edge" d="M-7 53C-8 38-13 22-14 9-23 7-24-5-15-8-15-16-17-20-16-29-16-45-9-52 0-52S16-44 15-31C15-25 14-21 14-17 24-15 23-3 13-1 12 18 8 36 7 53z" />
          <path class="light" d="M-10-42C-14-28-8 10-4 46 0 22-7-16-3-46z" />
          <ellipse class="cut" cy="-46" rx="8.5" ry="4.8" />
          <ellipse class="cut" cx="-17" cy="0" rx="3.6" ry="5.6" transform="rotate(12 -17 0)" />
          <ellipse class="cut" cx="17" cy="-9" rx="3.6" ry="5.6" transform="rotate(-12 17 -9)" />
          <ellipse class="cut" cx="4" cy="20" rx="2.6" ry="3.8" />
          <path class="leaf" d="M-14-24C-28-22-33-33-32-40-20-41-13-34-14-24zM14-31C27-31 32-42 30-49 19-48 12-41 14-31zM9 22C22 24 29 15 29 8 18 6 9 12 9 22z" />
          <path class="mark thin" d="M-15-25-28-37M15-32 27-45M10 21 25 11" />
        </g>
      )
  }
}
