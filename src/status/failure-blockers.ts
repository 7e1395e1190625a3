// What blocks a stack after a failure: its errors, what fixes each, and when gitmoor retries.
import { command, edit, hintOf, stackCommand, type Blocker, type NextStep } from '../model/stacks/blocker.js'
import { conflictReason } from '../model/errors.js'
import { countProblems, errorsOf, errorSummary, placedMessage } from '../model/problem.js'
import { replaceableSource, sourceLocations } from '../model/sources/source-spec.js'
import { shellWord } from '../lib/text/shell-word.js'
import { timeText } from '../lib/text/time-text.js'
import type { Run } from '../model/stacks/run.js'
import { isUndeclared, type Failure, type Stack } from '../model/stacks/stack.js'
import { directoryFleetOf, ownerText } from '../model/stacks/stack-owner.js'
import type { StatusInput } from './axes.js'

const problemsShown = 10

/**
 * Each error of an invalid package, or of resources that other stacks own, has a blocker of its own. Only the first
 * failure is retried: another one waits for the end of the first.
 */
export function failureBlockers({ stack, last }: StatusInput, failure: Failure, isFirst: boolean): readonly Blocker[] {
  const { reason } = failure
  const isOfRun = failure === stack.failure
  const again = isFirst ? retries(stack, failure) : []
  const next = [...fixes(stack, failure), ...again]
  const isFirstInRow = isOfRun && stack.retries < 2
  const since = failure.since ?? (isFirstInRow ? (last?.finishedAt ?? null) : null)
  const blocker = (message: string, steps: readonly NextStep[] = next): Blocker => ({
    reason,
    message,
    since,
    until: isFirst && failure.retry === 'soon' ? stack.retryAt : null,
    next: steps,
  })
  const errors = errorsOf(last?.problems ?? [])
  if (!isOfRun || errors.length < 2 || !listsErrors(reason)) return [blocker(failure.message)]
  const { name } = stack.spec
  const rest = countProblems(errors) - problemsShown
  return [
    ...errors
      .slice(0, problemsShown)
      .map((problem, at) =>
        blocker(
          placedMessage(problem),
          problem.hint === undefined ? next : [edit(problem.hint), ...(at === 0 ? again : [])],
        ),
      ),
    ...(rest > 0
      ? [blocker(rest === 1 ? 'And 1 more error.' : `And ${rest} more errors.`, [allErrors(name, last!)])]
      : []),
  ]
}

/** Each error of such a failure has a blocker. */
function listsErrors(reason: string): boolean {
  return reason === 'Claimed' || reason === 'PackageInvalid' || reason === conflictReason
}

function allErrors(stack: string, { id }: Run): NextStep {
  return command('See all errors', 'history', { stack, run: id }, `gitmoor history ${stack} ${id}`)
}

/** A blocker that is shown alone. The first error of the last run has the number of others, and how to see them. */
export function soleBlocker(
  { stack, last }: StatusInput,
  { reason, message, next }: Blocker,
): Pick<Blocker, 'message' | 'next'> {
  const errors = errorsOf(last?.problems ?? [])
  const isFirst = listsErrors(reason) && errors[0] !== undefined && message === placedMessage(errors[0])
  if (!isFirst || errors.length < 2) return { message, next }
  return { message: errorSummary(errors)!, next: [...next, allErrors(stack.spec.name, last!)] }
}

/** Failures that a setting of the stack may end, by code: the option that changes it. */
const settingOptions: Readonly<Record<string, readonly [purpose: string, option: string]>> = {
  'source/ref-missing': ['Or follow another ref', '--ref REF'],
  'source/path-missing': ['Or read another path', '--path PATH'],
  'source/directory-missing': ['Or read another directory', '--dir DIR'],
  'agent/fighting': ['Or only report drift', '--drift report'],
}

function fixes(stack: Stack, { hint = '', code, suggestion }: FailureFacts): readonly NextStep[] {
  const setting = isOfFleet(stack, code) ? undefined : settingOptions[code]
  if (code === 'source/path-missing' && isAppliedSource(stack)) return vanishedPath(stack)
  if (setting !== undefined && suggestion !== undefined) {
    const [flag] = setting[1].split(' ')
    const use = code === 'source/ref-missing' ? 'Follow it' : 'Use it'
    return [changeSetting(`${hint} ${use}`, stack, `${flag} ${shellWord(suggestion)}`)]
  }
  const isPackage = code.startsWith('package/') && hint === ''
  return [
    ...(hint === '' ? [] : hint.split('\n').map(edit)),
    ...(isPackage ? [edit('Fix the package')] : []),
    ...(setting === undefined ? [] : [changeSetting(setting[0], stack, setting[1])]),
    ...(code === 'source/no-package-files' ? [removal(stack)] : []),
  ]
}

/** A fleet of directories gives its stacks their paths, so none of its settings changes one. */
function isOfFleet(stack: Stack, code: string): boolean {
  return code === 'source/path-missing' && directoryFleetOf(stack) !== undefined
}

/** Only a stack that nothing declares can be deleted. */
function removal(stack: Stack): NextStep {
  const { spec, managedBy } = stack
  const { name } = spec
  const line = `gitmoor stack delete ${name} --uninstall`
  return managedBy === 'api' || isUndeclared(stack)
    ? command('To remove them', 'stack delete', { stack: name }, line)
    : edit(`To remove them, remove ${name} from ${ownerText(managedBy)}, then: ${line}`)
}

/** The applied package came from the same places. */
function isAppliedSource({ applied, spec }: Stack): boolean {
  return applied !== null && applied.place === sourceLocations(spec)
}

/** The path existed before, so it is no typo: a similar folder has another package. */
function vanishedPath(stack: Stack): readonly NextStep[] {
  return [
    edit('Applied resources stay unchanged: a missing path never deletes. Push a commit that has the path'),
    ...(isOfFleet(stack, 'source/path-missing') ? [] : [changeSetting('Or read another path', stack, '--path PATH')]),
    removal(stack),
  ]
}

type FailureFacts = Pick<Failure, 'code' | 'hint' | 'suggestion'>

/** What ends a failure of this stack: its hint, with the commands. undefined: nothing is known. */
export function failureHint(stack: Stack, failure: FailureFacts): string | undefined {
  const steps = fixes(stack, failure)
  return steps.length === 0 ? undefined : hintOf(steps)
}

/** Codes of failures that a sync cannot end, or whose hint already names the sync. */
const withoutRetry = new Set([
  'config/not-given',
  'source/nothing-pushed',
  'source/ref-missing',
  'source/path-missing',
  'source/other-sources',
  'platform/target-missing',
])

/** When gitmoor retries, and how to retry at once. A failed poll is repeated after the interval, whatever failed. */
function retries(stack: Stack, failure: Failure): readonly NextStep[] {
  const { retryAt, retries: failures } = stack
  const { name } = stack.spec
  const { reason, retry, code } = failure
  if (withoutRetry.has(code)) return []
  const when = retryAt === null ? 'soon' : `at ${timeText(retryAt)} (try ${failures + 1})`
  if (retry === 'soon') return [stackCommand(`gitmoor retries ${when}. Retry now`, 'sync', name)]
  if (retry === 'person') return [stackCommand('Then retry', 'sync', name)]
  if (reason === 'FetchFailed' && failure !== stack.failure)
    return [stackCommand('gitmoor continues when a poll succeeds. Poll now', 'sync', name)]
  if (reason === 'PackageInvalid') return [packageCheck(stack)]
  return [stackCommand('Push a fix or change a setting: gitmoor tries it at once. Retry this one', 'sync', name)]
}

/** Checks files of the package before they are committed or pushed. */
function packageCheck({ spec: { name, sources } }: Stack): NextStep {
  const purpose = 'Push a fix or change a setting: gitmoor tries it at once. Check your files before you push them'
  return replaceableSource(sources) === undefined || sources[0]!.kind === 'inline'
    ? command(purpose, 'validate', {}, 'gitmoor validate PATH')
    : command(purpose, 'plan', { stack: name }, `gitmoor plan ${name} --dir DIR`)
}

/** `option`: of `gitmoor stack set`; the same setting in the configuration file where that declares the stack. */
export function changeSetting(purpose: string, { spec: { name }, managedBy }: Stack, option: string): NextStep {
  if (managedBy === 'api')
    return command(purpose, 'stack set', { stack: name, option }, `gitmoor stack set ${name} ${option}`)
  const key = option.replace(/^--/, '').replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return edit(`${purpose}: \`${key.replace(' ', ': ')}\` of ${name} in ${ownerText(managedBy)}`)
}
