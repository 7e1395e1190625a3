// A duration as people write it in documents, in the configuration file and on the command line.

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** In milliseconds. */
export interface DurationRange {
  readonly least: number
  readonly most: number
}

const dayMs = 86_400_000

/** How long a suspension with an end may last. */
export const suspensionRange: DurationRange = { least: 1_000, most: 3_650 * dayMs }

/** How long a request may wait for a stack. */
export const waitRange: DurationRange = { least: 0, most: dayMs }

/** One whole number and one unit: `30s`, `5m`, `1h`, `7d`, `1500ms`. */
export const intervalPattern = /^(\d{1,9})(ms|s|m|h|d)$/

/** Milliseconds; undefined: invalid. */
export function parseInterval(text: string): number | undefined {
  const match = intervalPattern.exec(text)
  return match ? Number(match[1]) * (unitMs[match[2] ?? ''] ?? 1) : undefined
}

/**
 * The shortest text that `parseInterval` reads as the same: 90,000 is `90s`, 3,600,000 is `1h`. `ms` is a whole number,
 * not negative.
 */
export function printInterval(ms: number): string {
  if (ms === 0) return '0s'
  const unit = ['d', 'h', 'm', 's'].find((name) => ms % (unitMs[name] ?? 1) === 0) ?? 'ms'
  return `${ms / (unitMs[unit] ?? 1)}${unit}`
}
