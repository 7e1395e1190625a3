import { shownField, shownPlace, type Problem } from '../../model/problem.js'
import { printable } from '../../lib/text/printable.js'
import { hintLines } from './next-lines.js'
import type { Style } from './text.js'

/** A problem as lines: what happened, where (file, line and field), what to do next. */
export function problemLines(problem: Problem, style: Style): readonly string[] {
  const word = problem.severity === 'error' ? style.red('error:') : style.yellow('warning:')
  const where = [placeText(problem), printable(shownField(problem))].filter((text) => text !== '').join(': ')
  return [`${word} ${printable(problem.message)}`, ...(where === '' ? [] : [`  ${where}`]), ...hintLines(problem.hint)]
}

/** `dashboards/a.yml:12`; '' for a problem without a file, and for one whose message begins with it. */
function placeText({ message, place }: Problem): string {
  const at = place === undefined ? '' : shownPlace(place)
  return message.startsWith(at) ? '' : at
}
