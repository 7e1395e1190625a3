/** One small change of a source file that a test should notice. */
export interface Mutant {
  readonly file: string
  readonly line: number
  readonly operator: string
  readonly start: number
  readonly end: number
  readonly was: string
  readonly becomes: string
}

/** The text of the file with the change made. */
export function mutated(text: string, { start, end, becomes }: Pick<Mutant, 'start' | 'end' | 'becomes'>): string {
  return text.slice(0, start) + becomes + text.slice(end)
}

/** `plan/plan.ts:40 comparison: `<=` → `<``, on one line. */
export function describeMutant({ file, line, operator, was, becomes }: Mutant): string {
  return `${file}:${line} ${operator}: ${shorten(was)} → ${shorten(becomes)}`
}

function shorten(text: string): string {
  const one = text.replaceAll(/\s+/g, ' ')
  if (one === '') return '(nothing)'
  return one.length > 100 ? `${one.slice(0, 99)}…` : one
}
