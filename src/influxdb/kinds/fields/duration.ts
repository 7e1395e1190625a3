// Durations in Flux units. A month is 28 days and a year is 364 days.
const second = 1_000_000_000n
const nanoseconds: Readonly<Record<string, bigint>> = scaledUnits(1n, 1_000n, 1_000_000n, second)
const largest = 2n ** 63n - 1n
const whole = /^-?(?:\d{1,19}(?:mo|ms|us|µs|μs|ns|y|w|d|h|m|s))+$/
const part = /(\d+)(mo|ms|us|µs|μs|ns|y|w|d|h|m|s)/g

/** Nanoseconds of `1h30m` or `-5d`. undefined: not a duration, or more than 64 bits. */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > 200 || !whole.test(text)) return undefined
  let sum = 0n
  for (const [, count, unit] of text.matchAll(part)) sum += BigInt(count!) * nanoseconds[unit!]!
  if (sum > largest) return undefined
  return text.startsWith('-') ? -sum : sum
}

/** In the format of Go, which Flux reads: `25h0m0s`, `1m30s`, `15s`, `500ms`; '' for zero. */
export function formatDuration(duration: bigint): string {
  if (duration === 0n) return ''
  const size = duration < 0n ? -duration : duration
  const sign = duration < 0n ? '-' : ''
  const rest = printFraction(size % second)
  const seconds = size / second
  if (seconds === 0n) return sign + rest
  const hours = seconds / 3600n
  const minutes = (seconds / 60n) % 60n
  const leading = hours > 0n ? `${hours}h${minutes}m` : minutes > 0n ? `${minutes}m` : ''
  return `${sign}${leading}${seconds % 60n}s${rest}`
}

/** The canonical form of a duration; any other text stays. */
export function normaliseDuration(text: string): string {
  const duration = parseDuration(text)
  return duration === undefined ? text : formatDuration(duration)
}

export function isWholeSeconds(duration: bigint): boolean {
  return duration % second === 0n
}

function printFraction(below: bigint): string {
  const units = ['ms', 'us', 'ns'] as const
  let left = below
  let text = ''
  for (const unit of units) {
    if (left >= nanoseconds[unit]!) text += `${left / nanoseconds[unit]!}${unit}`
    left %= nanoseconds[unit]!
  }
  return text
}

function scaledUnits(ns: bigint, us: bigint, ms: bigint, s: bigint): Readonly<Record<string, bigint>> {
  const day = 86_400n * s
  return { ns, us, µs: us, μs: us, ms, s, m: 60n * s, h: 3600n * s, d: day, w: 7n * day, mo: 28n * day, y: 364n * day }
}
