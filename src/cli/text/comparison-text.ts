import { printable } from '../../lib/text/printable.js'
import type { RunComparison, RunRow } from '../../views/run.js'
import { changeFieldLines } from './plan/field-text.js'
import { changesLines } from './plan/plan-text.js'
import { shortRevision } from './short-forms.js'
import type { Display } from './text.js'

/** What two runs declare differently, and their settings. `seeAll`: how to see what a terminal shortens. */
export function comparisonLines(comparison: RunComparison, display: Display, seeAll: string): readonly string[] {
  const { style } = display
  const { stack, a, b, changes, settings } = comparison
  const title = `${style.bold(printable(stack))} from ${runText(a)} to ${runText(b)}`
  if (changes.length === 0 && settings?.length === 0) return [title, '', 'No differences: both runs declare the same.']
  return [title, '', ...declaredLines(comparison, display, seeAll), '', ...settingLines(comparison, display)]
}

function declaredLines({ changes, counts }: RunComparison, display: Display, seeAll: string): readonly string[] {
  if (changes.length === 0) return ['Both runs declare the same resources.']
  const { create, update, remove, unchanged } = counts
  const sum = `${create} new, ${update} changed, ${remove} removed, ${unchanged} unchanged.`
  return [...changesLines(changes, display, seeAll), '', display.style.bold(sum)]
}

function settingLines({ settings }: RunComparison, display: Display): readonly string[] {
  if (settings === null)
    return ['The settings are not compared: an older version of gitmoor carried out one of the runs.']
  if (settings.length === 0) return ['Both runs had the same settings.']
  return [display.style.bold('Settings:'), ...changeFieldLines({ action: 'update', fields: settings }, display)]
}

function runText({ id, revision, versions }: RunRow): string {
  return `run ${printable(id)} (${shortRevision(revision, versions)})`
}
