const browsers: readonly [RegExp, string][] = [
  [/\bEdg\w*\//, 'Edge'], [/\bOPR\//, 'Opera'], [/\bFirefox\/|\bFxiOS\//, 'Firefox'], [/\bCriOS\/|\b(?:Headless)?Chrome\//, 'Chrome'], [/\bSafari\//, 'Safari'],
]
const systems: readonly [RegExp, string][] = [
  [/Android/, 'Android'], [/iPhone|iPad|iPod/, 'iOS'], [/Windows/, 'Windows'], [/Mac OS X/, 'macOS'], [/Linux|X11/, 'Linux'],
]

/** What a browser calls itself, in two words: enough to tell one's own devices apart. What is not known stays as it is. */
export function browserName(agent: string): string {
  const name = (of: readonly [RegExp, string][]) => of.find(([sign]) => sign.test(agent))?.[1]
  return [name(browsers), name(systems)].filter(Boolean).join(' · ') || agent || '—'
}
