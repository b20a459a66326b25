import type { Rank } from './card'

// The court, drawn in the card's own box of 100 by 150; each raises its right hand towards the suit's sign. Coats, hair and
// horses have their colours from the suit.

function Jack() {
  return (
    <g class="figure">
      <path class="coat2" d="M22 144C20 126 24 108 34 101H66C76 108 80 126 78 144z" />
      <path class="coat" d="M28 144C26 124 30 106 40 100H60C70 106 74 124 72 144z" />
      <path class="trim" d="M43 98 50 112 57 98 61 101 52.5 120V144H47.5V120L39 101z" />
      <path class="coat2" d="M27 106C19 108 16 118 18 128 22 133 31 132 33 127 35 118 34 108 27 106z" />
      <path class="coat" d="M20 129C18 135 18 140 19 144H32C33 138 33 133 32 129 28 132 24 132 20 129z" />
      <path class="coat" d="M64 101C72 100 76 90 75.5 72L82 71C86 92 80 112 70 118z" />
      <path class="coat2" d="M62 104C62 97 70 95 75 100 79 105 77 114 70 117 64 115 62 110 62 104z" />
      <path class="trim" d="M74 69 83.5 67.5 84.5 73 75 74.5z" />
      <path class="skin" d="M75 68C72 62 74 55 78 53 83 54 86 61 83 67z" />
      <path class="skin" d="M44 88H56V98C54 103 46 103 44 98z" />
      <path class="hair" d="M32 70C28 84 30 94 35 97 41 97 42 93 41 84L59 84C58 93 59 97 65 97 70 94 72 84 68 70z" />
      <path class="skin" d="M37 67H63V78C63 88 57 93 50 93S37 88 37 78z" />
      <path class="hair" d="M36 75C36 68 40 65 50 67 60 65 64 68 64 75 60 71 56 71 50 72 44 71 40 71 36 75z" />
      <path class="coat" d="M31 69C27 55 38 49 52 51 66 50 74 57 69 69 58 63 42 63 31 69z" />
      <path class="trim" d="M31 69C42 62.5 58 62.5 69 69L68 73C57 67 43 67 32 73z" />
      <path class="feather" d="M36 56C24 58 16 52 13 57 10 63 18 70 28 67 33 65 36 61 36 56z" />
      <path class="ink-line" d="M16 60C22 62 28 61 34 58" />
      <circle class="ink" cx="44" cy="78" r="1.6" /><circle class="ink" cx="56" cy="78" r="1.6" />
      <path class="ink-line" d="M50 78V83M46.5 86.5Q50 89 53.5 86.5" />
      <circle class="blush" cx="41" cy="84" r="2.4" /><circle class="blush" cx="59" cy="84" r="2.4" />
    </g>
  )
}

function King() {
  return (
    <g class="figure">
      <path class="coat" d="M14 144C13 122 18 106 34 100H64C80 106 85 122 84 144z" />
      <path class="coat2" d="M38 104H60L66 144H32z" />
      <path class="ermine" d="M36 102 28 144H37L44 106zM62 102 70 144H61L54 106z" />
      <path class="ink-line" d="M35 114V117M33 125V128M32 136V139M63 114V117M65 125V128M66 136V139" />
      <path class="coat" d="M66 102C74 100 77 90 76 74L84 73C88 94 84 112 74 122z" />
      <path class="ermine" d="M74 70 84.5 68.5 86 76 75 77.5z" />
      <path class="skin" d="M75.5 69C72 63 74 55 78.5 53 83.5 54 87 61 84 68z" />
      <path class="ermine" d="M49 95C36 95 28 100 27 107 34 117 64 117 71 107 70 100 62 95 49 95z" />
      <path class="ink-line" d="M34 106V109M42 110V113M56 110V113M64 106V109M49 111V114" />
      <path class="trim" d="M49 116 54 123 49 130 44 123z" />
      <path class="hair" d="M32 66C29 82 32 94 37 99H61C66 94 69 82 66 66z" />
      <path class="skin" d="M36 66H62V80C62 90 56 95 49 95S36 90 36 80z" />
      <path class="hair" d="M36 76C36 92 40 104 49 106 58 104 62 92 62 76 60 85 56 86 54 84 51.5 82 46.5 82 44 84 42 86 38 85 36 76z" />
      <path class="mouth" d="M45.5 88Q49 90.5 52.5 88" />
      <path class="ink-line" d="M40.5 73Q43 71.5 45.5 73M52.5 73Q55 71.5 57.5 73M49 76V81" />
      <circle class="ink" cx="43.2" cy="76.5" r="1.6" /><circle class="ink" cx="54.8" cy="76.5" r="1.6" />
      <path class="trim" d="M31 69V47L40 56 49 41 58 56 67 47V69C58 64.5 40 64.5 31 69z" />
      <circle class="trim" cx="31" cy="46" r="2.6" /><circle class="trim" cx="49" cy="40" r="2.8" /><circle class="trim" cx="67" cy="46" r="2.6" />
      <circle class="gem" cx="49" cy="60" r="2.7" /><circle class="gem2" cx="38.5" cy="62" r="1.9" /><circle class="gem2" cx="59.5" cy="62" r="1.9" />
    </g>
  )
}

function Knight() {
  return (
    <g class="figure">
      <path class="mane" d="M84 108C94 110 93 128 88 140 84 136 84 124 80 118z" />
      <path class="horse" d="M32 100C44 104 60 98 74 100 84 102 87 112 84 121 83 128 86 134 86 144H77C76 136 73 130 69 126 60 130 50 130 44 126 43 132 45 138 44 144H35C35 136 31 128 30 120z" />
      <path class="horse" d="M36 122C30 126 24 126 20 132L24 140 18 142 12 132C15 122 24 114 32 112z" />
      <path class="hoof" d="M17 143 24 140 26 144H17zM35 140H44V144H35zM77 140H86V144H77z" />
      <path class="mane" d="M34 66C46 72 50 88 47 104L36 112C40 96 38 82 28 74z" />
      <path class="horse" d="M44 104C44 90 40 76 32 70L31 60 24 68C16 72 13 82 9 92 8 98 12 102 17 100L26 95C27 104 26 112 30 121 36 118 42 112 44 104z" />
      <path class="trim" d="M13 87 21 92 19 97 11 92zM26 70 27.5 94 24.5 95 23 71z" />
      <circle class="ink" cx="22.5" cy="79" r="1.7" /><circle class="ink" cx="12.5" cy="95" r="1" />
      <path class="coat2" d="M40 100C46 92 66 92 72 100L74 116C64 122 50 122 44 116z" />
      <path class="trim" d="M44 113C52 118 64 118 73 113L74 117C64 122.5 50 122.5 44 117.5z" />
      <path class="coat2" d="M64 76C76 82 86 94 88 108 80 108 72 104 66 98z" />
      <path class="coat" d="M45 102C43 88 46 77 54 74H62C69 78 71 90 69 102 62 106 52 106 45 102z" />
      <path class="coat" d="M50 98C58 98 62 104 60 114L56 132H48L50 114C46 112 44 104 50 98z" />
      <path class="boot" d="M49.5 122 58 122 56 134C52 137 46 138 42 136 44 133 48 132 48.5 130z" />
      <path class="coat" d="M62 76C70 76 72 68 72 58L79 57C82 70 78 84 69 90z" />
      <path class="trim" d="M70.5 55 79.5 54 80.5 59 71.5 60z" />
      <path class="skin" d="M71.5 54.5C69 49.5 70.5 44 74.5 42 79 43 82 48 79 54z" />
      <path class="coat" d="M50 80C44 84 40 90 36 94L40 99C46 97 52 92 54 88z" />
      <path class="skin" d="M36 93C33 93 32 98 35 100 38 101 41 99 40 97z" />
      <path class="hair" d="M47 58C45 68 47 74 50 77H64C67 72 68 64 66 57z" />
      <path class="skin" d="M48 58H63V66C63 73 60 77 55 77S48 73 48 66z" />
      <path class="coat2" d="M45 59C43 49 49 45 57 46 66 46 70 52 67 60 60 56 52 56 45 59z" />
      <path class="trim" d="M45 59C52 55.5 60 55.5 67 60L66.5 63C60 59 52 59 45.5 62z" />
      <path class="feather" d="M60 47C64 40 58 34 62 30 69 31 71 40 66 49z" />
      <circle class="ink" cx="51.5" cy="66" r="1.3" /><circle class="ink" cx="58" cy="66" r="1.3" />
      <path class="ink-line" d="M52 72Q54.5 73.5 57 72" />
    </g>
  )
}

/** A court card's figure; nothing for the others. */
export function Figure({ rank }: { rank: Rank }) {
  switch (rank) {
    case 'S': return <Jack />
    case 'C': return <Knight />
    case 'R': return <King />
    default: return null
  }
}
