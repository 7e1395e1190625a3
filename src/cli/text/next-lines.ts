import { printable } from '../../lib/printable.js'
import { nextText, type NextStep } from '../../model/blocker.js'

/** What to type or do next: an indented line for each step. */
export function nextLines(steps: readonly NextStep[]): readonly string[] {
  return steps.map((step) => `  next: ${printable(nextText([step]))}`)
}
