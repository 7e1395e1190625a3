// What keeps a stack from going on by itself, and what would let it: the exact command, or the exact change.
import type { ApprovalReason, ApprovalRule } from '../../model/change.js'
import type { Problem } from '../../model/problem.js'
import type { Run } from '../../model/run.js'
import { awaitsPackage, type Failure, type Stack } from '../../model/stack.js'
import { awaitedPackage, currentFailure, needsApproval, type StatusInput } from './status.js'
import { time } from '../queries/view-stack.js'
import type { Explanation } from '../../views/explanation.js'

type BlockerView = Explanation['blockers'][number]

/**
 * Suspension, pin, what channels hold back, held plan, failure, windows and stacks that are waited for, a package that
 * was not pushed yet, drift that is only reported; none: nothing holds it. `situation.last` comes with its plan.
 */
export function stackBlockers(situation: StatusInput): readonly BlockerView[] {
  const { stack, last } = situation
  const failure = currentFailure(situation)
  return [
    ...(stack.suspended === null ? [] : [suspension(stack, stack.suspended)]),
    ...(stack.pinned === null ? [] : [pin(stack, stack.pinned)]),
    ...situation.blockedMoves.map(({ reason, message, next }) => ({ reason, message, next })),
    ...(last !== undefined && needsApproval(situation) ? approvalBlockers(stack, last) : []),
    ...(failure === undefined ? [] : failed(stack, last, failure)),
    ...situation.blockers.map(({ reason, message, next }) => ({ reason, message, next })),
    ...(failure === undefined && awaitsPackage(stack) ? [awaiting(stack)] : []),
    ...(stack.drifted > 0 && stack.spec.drift === 'report' && failure?.reason !== 'Claimed'
      ? [reportedDrift(stack)]
      : []),
  ]
}

function suspension({ spec: { name } }: Stack, { by, until, reason }: NonNullable<Stack['suspended']>): BlockerView {
  const message = `Suspended by ${by}${until === null ? '' : ` until ${time(until)}`}: ${reason}.`
  if (by === 'file')
    return {
      reason: 'Suspended',
      message,
      next: `Declare ${name} in the configuration file again, or: gitmoor stack delete ${name}`,
    }
  return { reason: 'Suspended', message, next: `gitmoor resume ${name}` }
}

function pin({ spec: { name } }: Stack, { run, revision, by, why }: NonNullable<Stack['pinned']>): BlockerView {
  const message = `Held at ${revision} (run ${run}) by ${by}${why === '' ? '' : `: ${why}`}.`
  return {
    reason: 'Pinned',
    message,
    next: `It ends with a revision that was never attempted, or with: gitmoor unpin ${name}`,
  }
}

/** For each rule that holds it: what it is about, and what would be needed not to be asked. */
function approvalBlockers(stack: Stack, { plan, intent }: Run): readonly BlockerView[] {
  const { name } = stack.spec
  const approve = `See it: gitmoor plan ${name}. Carry it out: gitmoor approve ${name} ${plan?.digest.slice(0, 12) ?? 'DIGEST'}`
  if (intent !== 'sync') {
    const next = `Uninstall all the same: gitmoor approve ${name} ${plan?.digest.slice(0, 12) ?? 'DIGEST'}. Keep everything: gitmoor cancel ${name}`
    return [
      {
        reason: 'Held',
        message: `The uninstall waits for a person: ${aboutOf(plan?.needsApproval ?? [], 'protect')}`,
        next,
      },
    ]
  }
  const rules = [...new Set((plan?.needsApproval ?? []).map(({ rule }) => rule))]
  if (rules.length === 0) return [{ reason: 'Held', message: 'The plan waits for a person.', next: approve }]
  return rules.map((rule) => ({
    reason: 'Held',
    message: `The plan waits for a person (${rule}): ${aboutOf(plan!.needsApproval, rule)}`,
    next: `${approve}. ${plan!.needsApproval.some((hold) => hold.rule === rule && hold.always === true) ? 'Or put it back into the package.' : otherwise(rule, stack)}`,
  }))
}

const shown = 5

/** The message of a rule's first hold, and the addresses of all. */
function aboutOf(held: readonly ApprovalReason[], rule: ApprovalRule): string {
  const [first, ...more] = held.filter((hold) => hold.rule === rule)
  if (more.length === 0) return first?.message ?? ''
  const addresses = [first!, ...more].slice(0, shown).map(({ address }) => address)
  return `${first!.message} The same goes for ${addresses.slice(1).join(', ')}${more.length >= shown ? ` and ${more.length - shown + 1} more` : ''}.`
}

function otherwise(rule: ApprovalRule, stack: Stack): string {
  const settings: Readonly<Record<ApprovalRule, string>> = {
    deletions: '--max-deletes N',
    'data-loss': '--data-loss allow',
    adoption: '--adopt allow',
    approval: '--apply auto',
    protect: 'protect',
  }
  if (rule === 'protect')
    return 'Or put it back into the package; or take it out of `protect` in the document of the stack.'
  const back = rule === 'deletions' || rule === 'data-loss' ? 'Or put it back into the package; or' : 'Or'
  return `${back} do not ask for that: ${setting(stack, settings[rule])}`
}

function setting({ spec: { name }, managedBy }: Stack, option: string): string {
  if (managedBy === 'api') return `gitmoor stack set ${name} ${option}`
  const key = option.replace(/^--/, '').replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return `\`${key.replace(' ', ': ')}\` of ${name} in the configuration file`
}

const problemsShown = 10

/** Of a package with several errors each is told; what another stack owns, most of all. */
function failed(stack: Stack, last: Run | undefined, failure: Failure): readonly BlockerView[] {
  const { reason } = failure
  const next = sentences(where(stack, failure), then(stack, failure))
  const errors = (last?.problems ?? []).filter(({ severity }) => severity === 'error')
  if (stack.failure === null || errors.length < 2 || (reason !== 'Claimed' && reason !== 'PackageInvalid'))
    return [{ reason, message: failure.message, next }]
  const rest = errors.length - problemsShown
  const all = `gitmoor history ${stack.spec.name} ${last!.id}`
  return [
    ...errors
      .slice(0, problemsShown)
      .map((problem) => ({ reason, message: placed(problem), next: problem.hint ?? next })),
    ...(rest > 0 ? [{ reason, message: `And ${rest} more errors.`, next: `See all: ${all}` }] : []),
  ]
}

function placed({ message, place }: Problem): string {
  return place === undefined ? message : `${place.file}:${place.line}: ${message}`
}

/** What to change. */
function where({ spec: { name }, managedBy }: Stack, { hint = '', code }: Failure): string {
  if (managedBy === 'file' && hint.includes('gitmoor stack set'))
    return sentences(hint, `${name} is declared in the configuration file: change it there.`)
  if (code.startsWith('package/') && hint === '')
    return `Fix the package and push it; check it before with: gitmoor validate PATH.`
  return hint
}

/** One after the other: what is followed by another ends with a full stop, also where it is a command. */
function sentences(...texts: readonly string[]): string {
  const said = texts.filter((text) => text !== '')
  return said.map((text, at) => (at === said.length - 1 || /[.!?]$/.test(text) ? text : `${text}.`)).join(' ')
}

/** How it goes on after that. */
function then({ spec: { name }, retryAt, retries }: Stack, { retry, code, hint = '' }: Failure): string {
  if (code === 'source/nothing-pushed') return '' // the push is all it waits for
  if (hint.includes(`gitmoor sync ${name}`)) return ''
  if (retry === 'soon')
    return `${retryAt === null ? 'It is tried again soon' : `It is tried again at ${time(retryAt)} (try ${retries + 1})`}; now: gitmoor sync ${name}`
  if (retry === 'person') return `When that is decided: gitmoor sync ${name}`
  return `It goes on with a new revision or a changed setting; to try the same again: gitmoor sync ${name}`
}

function awaiting({ spec: { name } }: Stack): BlockerView {
  return { reason: 'Waiting', message: awaitedPackage, next: `Push its package: gitmoor stack push ${name} -f FILE` }
}

function reportedDrift(stack: Stack): BlockerView {
  const { name } = stack.spec
  const message = `${stack.drifted} ${stack.drifted === 1 ? 'thing differs' : 'things differ'} on the target; that is only reported.`
  return {
    reason: 'Drifted',
    message,
    next: `See it: gitmoor plan ${name}. Put it right: gitmoor sync ${name}. Always: ${setting(stack, '--drift correct')}`,
  }
}
