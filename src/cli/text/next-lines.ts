import { printable } from '../../lib/printable.js'
import { nextText, type NextStep } from '../../model/blocker.js'

/** What to type or do next, as an indented line; nothing for no steps. */
export function nextLines(steps: readonly NextStep[]): readonly string[] {
  return steps.length === 0 ? [] : [`  next: ${printable(nextText(steps))}`]
}
