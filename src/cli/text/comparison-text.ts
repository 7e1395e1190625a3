import { printable } from '../../lib/text/printable.js'
import type { RunComparison, RunRow } from '../../views/run.js'
import { changesLines } from './plan/plan-text.js'
import { shortRevision } from './short-forms.js'
import type { Display } from './text.js'

/** What two runs declare differently. `seeAll`: how to see what a terminal shortens. */
export function comparisonLines(
  { stack, a, b, changes, counts }: RunComparison,
  display: Display,
  seeAll: string,
): readonly string[] {
  const { style } = display
  const title = `${style.bold(printable(stack))} from ${runText(a)} to ${runText(b)}`
  if (changes.length === 0) return [title, '', 'No differences: both runs declare the same.']
  const { create, update, remove, unchanged } = counts
  return [
    title,
    '',
    ...changesLines(changes, display, seeAll),
    '',
    style.bold(`${create} new, ${update} changed, ${remove} removed, ${unchanged} unchanged.`),
  ]
}

function runText({ id, revision, versions }: RunRow): string {
  return `run ${printable(id)} (${shortRevision(revision, versions)})`
}
