/** A device in words, from its User-Agent: "Safari on iPhone". Only for people; nothing depends on it. */

/** The first that fits: later ones also fit many of the earlier. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'Chromebook'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

export function deviceOf(userAgent = ''): string {
  const browser = first(browsers, userAgent)
  const system = first(systems, userAgent)
  if (browser === undefined) return system ?? 'Unknown device'
  return system === undefined ? browser : `${browser} on ${system}`
}

function first(rows: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return rows.find(([pattern]) => pattern.test(text))?.[1]
}
