/** A moment in a message: `2026-01-01 05:00:00Z`. `ms`: since the epoch. */
export function timeText(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z')
}
