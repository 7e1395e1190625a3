// The output of `gitmoor doctor`: what needs attention first, then the checks that passed in a few lines, and a count.
import type { Check } from '../../model/agent/check.js'
import { printable } from '../../lib/text/printable.js'
import type { Diagnosis } from '../../views/diagnosis.js'
import { wrappedLines } from './next-lines.js'
import { numberOf } from './short-forms.js'
import { cutMiddle, section } from './table.js'
import type { Display } from './text.js'

const shownOrder = ['problem', 'warning', 'skipped', 'ok'] as const satisfies readonly Check['state'][]

export function diagnosisLines(diagnosis: Diagnosis, display: Display): readonly string[] {
  const checks = ownChecks(diagnosis)
  const withState = (state: Check['state']): readonly Check[] => checks.filter((check) => check.state === state)
  const passed = withState('ok').filter(isShort)
  const apart = display.full === true ? checks : checks.filter((check) => !passed.includes(check))
  return [
    ...shownOrder.flatMap((state) => apart.filter((check) => check.state === state)).flatMap(checkLines(display)),
    ...(display.full === true ? [] : passedLines(passed, display)),
    ...section([summary(withState)]),
  ]
}

/** Without stacks and credentials whose problem another check has: each is printed once. */
function ownChecks({ checks }: Diagnosis): readonly Check[] {
  const causes = new Set(checks.filter(({ state }) => state === 'problem').map(({ name }) => name))
  return checks.filter(({ cause }) => cause === undefined || !causes.has(cause))
}

/** Nothing is to be done about it: its name is enough. */
function isShort({ next }: Check): boolean {
  return next === undefined
}

const label = { ok: 'green', warning: 'yellow', problem: 'red', skipped: 'dim' } as const
const indent = ' '.repeat(9)

function checkLines(display: Display): (check: Check) => readonly string[] {
  const { width } = display
  return ({ name, state, message, next, affects }) => [
    ...wrappedLines(head(state, display), `${printable(name)}: ${printable(message)}`, width),
    ...(affects === undefined ? [] : [indent + affectedText(affects, width)]),
    ...(next?.split('\n') ?? []).flatMap((step) => wrappedLines(`${indent}next: `, printable(step), width)),
  ]
}

function head(state: Check['state'], { style }: Display): string {
  return style[label[state]](state) + ' '.repeat(indent.length - state.length)
}

/** On a terminal, a long list of names is cut in its middle. */
function affectedText({ count, stacks }: NonNullable<Check['affects']>, width: number | undefined): string {
  const start = `affects ${numberOf(count, 'stack')}: `
  const more = count > stacks.length ? `, and ${count - stacks.length} more` : ''
  const names = stacks.map(printable).join(', ')
  const room = (width ?? Number.POSITIVE_INFINITY) - indent.length - start.length - more.length
  return start + cutMiddle(names, Math.max(leastNames, room)) + more
}

const leastNames = 10

/** `ok  agent, git, database, 12 remotes`: names, but of checks that are one for each object their number. */
function passedLines(passed: readonly Check[], display: Display): readonly string[] {
  const names = passed.map(({ name }) => name)
  const counted = objects.flatMap((word) => {
    const count = names.filter((name) => name.startsWith(`${word} `)).length
    return count === 0 ? [] : [numberOf(count, word)]
  })
  const single = names.filter((name) => !objects.some((word) => name.startsWith(`${word} `))).map(printable)
  const text = [...single, ...counted].join(', ')
  return text === '' ? [] : wrappedLines(head('ok', display), text, display.width)
}

const objects = ['credential', 'connection', 'webhook', 'remote', 'target', 'fleet', 'stack']

/** `1 problem, 2 warnings, 14 checks ok.` */
function summary(withState: (state: Check['state']) => readonly Check[]): string {
  const count = (state: Check['state']): number => withState(state).length
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`
  const found = `${numberOf(count('problem'), 'problem')}, ${numberOf(count('warning'), 'warning')}`
  return `${found}, ${numberOf(count('ok'), 'check')} ok${skipped}.`
}
