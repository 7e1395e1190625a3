import { shownField, shownPlace, type Problem } from '../../model/problem.js'
import { printable } from '../../lib/text/printable.js'
import type { Style } from './text.js'

/** A problem as lines: what happened, where (file, line and field), what to do next. */
export function problemLines(problem: Problem, style: Style): readonly string[] {
  const word = problem.severity === 'error' ? style.red('error:') : style.yellow('warning:')
  const where = [placeText(problem), printable(shownField(problem))].filter((text) => text !== '').join(': ')
  return [
    `${word} ${printable(problem.message)}`,
    ...(where === '' ? [] : [`  ${where}`]),
    ...(problem.hint === undefined ? [] : [`  next: ${printable(problem.hint)}`]),
  ]
}

/** `dashboards/a.yml:12`; '' for a problem without a file. */
function placeText({ place }: Problem): string {
  return place === undefined ? '' : shownPlace(place)
}
