// A plan as lines: changes marked `+ ~ -` with their fields, reasons for approval, and a line of counts.
import { changesOnlyOwnership } from '../../../plan/counts.js'
import { nextText } from '../../../model/stacks/blocker.js'
import type { Change, ChangeReason, Counts, RevisionDecision } from '../../../model/resources/change.js'
import { printable } from '../../../lib/text/printable.js'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { approvalGroups, groupMessages } from '../../../status/approval-steps.js'
import type { PlanView } from '../../../views/plan.js'
import { changeFieldLines } from './field-text.js'
import { nextLines } from '../next-lines.js'
import { numberOf, shortRevision } from '../short-forms.js'
import { isShortened, type Display, type Style } from '../text.js'

/**
 * `isPreview`: nobody can approve it yet, such as the plan of another ref or of uncommitted files. `directory`: the
 * local directory of these files.
 */
export interface ShownPlan extends PlanView {
  readonly isPreview?: true
  readonly directory?: string
}

/** `seeAll`: how to see what a terminal shortens. Default: the plan again, in full. */
export function planLines(
  plan: ShownPlan,
  display: Display,
  seeAll = `gitmoor plan ${printable(plan.stackName)} --full`,
): readonly string[] {
  const { style } = display
  return [
    planTitle(plan, style),
    '',
    ...withGap(changesLines(plan.changes, display, seeAll)),
    ...adoptionLines(plan.changes),
    ...ignoredLines(plan, display),
    ...approvalLines(plan, style),
    planCounts(plan, style),
    ...blockedLines(plan, style),
  ]
}

/** A plan that needs approval without its changes: their counts, why, and what to type. */
export function planSummaryLines(plan: PlanView, { style }: Display): readonly string[] {
  return [
    planTitle(plan, style),
    planCounts(plan, style),
    '',
    ...adoptionLines(plan.changes),
    ...approvalLines(plan, style).slice(0, -1),
    `  next: See every change first: gitmoor plan ${printable(plan.stackName)}`,
  ]
}

function planTitle({ stackName, target, uninstall, directory, revision, versions }: ShownPlan, style: Style): string {
  const name = style.bold(printable(stackName))
  const content = directory === undefined ? `at ${shortRevision(revision, versions)}` : `from ${printable(directory)}`
  return `${uninstall === true ? `Uninstall of ${name}` : name} ${content} on target ${printable(target)}`
}

/** What keeps a sync from applying the plan now. */
function blockedLines({ blockers = [] }: PlanView, style: Style): readonly string[] {
  return blockers.flatMap(({ message, next }) => [
    `${style.yellow('blocked:')} ${printable(message)}`,
    ...nextLines(next),
  ])
}

/** The reasons of its blockers, each once. */
export function blockedReasons({ blockers = [] }: PlanView): readonly string[] {
  return [...new Set(blockers.map(({ reason }) => reason))]
}

export function asPreview(plan: PlanView, directory?: string): ShownPlan {
  return { ...plan, isPreview: true, ...withoutUndefined({ directory }) }
}

/** Each rule by which it needs approval, once. */
export function approvalRules({ needsApproval }: PlanView): readonly string[] {
  return [...new Set(needsApproval.map(({ rule }) => rule))]
}

const adoptionsShown = 5

/** The resources that are taken over because they existed before: `Adopts Bucket/raw, which existed.` */
export function adoptionLines(changes: readonly Change[]): readonly string[] {
  const adopted = changes
    .filter(({ adopts, partOf }) => adopts === true && partOf === undefined)
    .map(({ address }) => address)
  if (adopted.length === 0) return []
  if (adopted.length === 1) return [`Adopts ${printable(adopted[0]!)}, which existed.`, '']
  const rest = adopted.length - adoptionsShown
  const names = [...adopted.slice(0, adoptionsShown), ...(rest > 0 ? [`and ${rest} more`] : [])]
  return [`Adopts ${adopted.length} resources, which existed: ${printable(names.join(', '))}.`, '']
}

/** Limit on a terminal. */
const ignoredShown = 10

function ignoredLines({ ignored }: PlanView, display: Display): readonly string[] {
  const { style } = display
  const shown = ignored.slice(0, isShortened(display) ? ignoredShown : ignored.length)
  const rest = ignored.length - shown.length
  const lines = shown.map(({ address, path }) => style.dim(`  = ${printable(`${address}  ${path}`)}: ignored`))
  if (rest > 0) lines.push(style.dim(`  … and ${rest} more ignored`))
  return withGap(lines)
}

function withGap(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [...lines, '']
}

/**
 * All changes, what their counts leave out, and how to see what a terminal shortens. `marks`: a further note for each
 * change, by address.
 */
export function changesLines(
  changes: readonly Change[],
  display: Display,
  seeAll: string,
  marks: Readonly<Record<string, string>> = {},
): readonly string[] {
  const lines = changes.flatMap((change) => changeLines(change, display, marks[change.address]))
  const isCut = changes.some((change) => !isNewPart(change) && hidesLines(change, display))
  const notes = [...notCounted(changes), ...(isCut ? [shortenedNote(seeAll)] : [])]
  return [...lines, ...notes.map((note) => display.style.dim(`  ${note}`))]
}

/** The fields of one change and the data that it loses, and how to see what a terminal shortens. */
export function changeDetailLines(change: Change, display: Display, seeAll: string): readonly string[] {
  const lines = detailLines(change, display)
  return hidesLines(change, display) ? [...lines, display.style.dim(`      ${shortenedNote(seeAll)}`)] : lines
}

function shortenedNote(seeAll: string): string {
  return `Shortened. See everything: ${seeAll}`
}

/** True if a terminal shows less of the change than a pipe. */
function hidesLines(change: Change, display: Display): boolean {
  if (!isShortened(display)) return false
  const lines = detailLines(change, display)
  const whole = detailLines(change, { ...display, width: undefined })
  return whole.length !== lines.length || whole.some((line, at) => line !== lines[at])
}

function isNewPart({ action, partOf }: Change): boolean {
  return action === 'create' && partOf !== undefined
}

/** Parts and untracked resources, which the counts leave out. */
function notCounted(changes: readonly Change[]): readonly string[] {
  const parts = new Map<string, number>()
  for (const { partOf, kind } of changes) if (partOf !== undefined) parts.set(kind, (parts.get(kind) ?? 0) + 1)
  const untracked = changes.filter(({ action, partOf }) => action === 'untrack' && partOf === undefined).length
  const groups = [
    ...[...parts].map(([kind, count]) => `${numberOf(count, kindWords(kind))} (part of a resource)`),
    ...(untracked === 0 ? [] : [numberOf(untracked, 'untracked resource')]),
  ]
  return groups.length === 0 ? [] : [`Not counted: ${groups.join(', ')}.`]
}

/** `label mapping` for LabelMapping. */
function kindWords(kind: string): string {
  return printable(kind.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase())
}

/**
 * One change: its sign, address, reason and fields. On a terminal, a new part (a label mapping) is one line without
 * fields.
 */
export function changeLines(change: Change, display: Display, mark?: string): readonly string[] {
  const { style } = display
  const sign = changesOnlyOwnership(change) ? '=' : signs[change.action]
  const named = `${style.bold(printable(change.address))}${displayNameText(change)}`
  const head = `  ${paintSign(sign, style)} ${named}  ${style.dim(changeNotes(change))}${mark === undefined ? '' : `  ${mark}`}`
  if (isShortened(display) && isNewPart(change)) return [head]
  return [head, ...detailLines(change, display)]
}

function detailLines(change: Change, display: Display): readonly string[] {
  const { losses = [] } = change
  return [
    ...waitLines(change, display),
    ...changeFieldLines(change, display),
    ...losses.map(({ path, message }) => display.style.red(`      ! ${printable(`${path}: ${message}`)}`)),
  ]
}

/** The changes that it waits for, with the fields that say so. */
function waitLines({ edges = [], after }: Change, { style }: Display): readonly string[] {
  const awaited = edges.filter(({ to }) => after.includes(to))
  return awaited.map(({ to, text }) => style.dim(`      after ${printable(`${to}: ${text}`)}`))
}

const signs = { create: '+', update: '~', remove: '-', untrack: '-' } as const satisfies Readonly<
  Record<Change['action'], string>
>

function displayNameText(change: Change): string {
  if (
    change.displayName === undefined ||
    change.displayName === '' ||
    change.address.endsWith(`/${change.displayName}`)
  )
    return ''
  return ` "${printable(change.displayName)}"`
}

const reasons: Readonly<Record<Exclude<ChangeReason, RevisionDecision>, string>> = {
  added: 'new in the package',
  edited: 'changed in the package',
  drifted: 'changed on the target',
  gone: 'missing on the target',
  dropped: 'no longer in the package',
  uninstalled: 'stack uninstalled',
  secret: 'its secret changed',
  value: 'a value of the package changed',
}

const decisions: Readonly<Record<RevisionDecision, string>> = {
  rollback: 'by the rollback',
  unpin: 'by the unpin',
  veto: 'by the veto',
  pin: 'by the pin of the channel',
}

const done = { create: 'created', update: 'changed', remove: 'removed', untrack: 'dropped' } as const

export function reasonText({ reason, action }: Pick<Change, 'reason' | 'action'>): string {
  return isDecision(reason) ? `${done[action]} ${decisions[reason]}` : reasons[reason]
}

function isDecision(reason: ChangeReason): reason is RevisionDecision {
  return Object.hasOwn(decisions, reason)
}

function changeNotes(change: Change): string {
  const notes = [
    reasonText(change),
    ...(change.from === undefined ? [] : [`renamed from ${printable(change.from)}`]),
    ...(change.adopts === true ? ['adopts the existing resource'] : []),
    ...(change.shares === true ? ['shared: another stack owns it'] : []),
    ...(change.action === 'untrack' ? [untrackedText(change)] : []),
    ...(change.adopted === true ? ['existed before this stack'] : []),
    ...(change.losesData === true ? ['loses data'] : []),
    ...(change.action === 'update' && change.fields.length === 0 ? ['only ownership changes'] : []),
  ]
  return notes.join(', ')
}

function untrackedText({ reason }: Change): string {
  return reason === 'gone' ? 'no longer tracked' : 'untracked, stays on the target'
}

function paintSign(sign: '+' | '~' | '-' | '=', style: Style): string {
  if (sign === '+') return style.green(sign)
  if (sign === '=') return style.dim(sign)
  return sign === '-' ? style.red(sign) : style.yellow(sign)
}

/** The reasons; if the plan can be approved, also what keeps the resources as they are. */
function approvalLines(plan: ShownPlan, style: Style): readonly string[] {
  if (plan.needsApproval.length === 0) return []
  const lines = approvalGroups(plan.stackName, plan).flatMap((group) => [
    ...groupMessages(group).map((text) => `  ${style.yellow('!')} ${printable(group.rule)}: ${printable(text)}`),
    ...(plan.isPreview === true ? [] : group.keep.map((step) => `    ${printable(nextText([step]))}`)),
  ])
  const reasons = [...new Set(lines)]
  if (plan.isPreview === true)
    return [style.yellow(`This plan will need approval: ${printable(approvalRules(plan).join(', '))}.`), ...reasons, '']
  return [
    style.yellow('This plan needs approval. gitmoor applies nothing until you approve it:'),
    ...reasons,
    `  next: gitmoor approve ${printable(plan.stackName)} ${plan.digest.slice(0, 12)}`,
    '',
  ]
}

function planCounts(plan: PlanView, style: Style): string {
  const { create, update, remove, unchanged } = plan.counts
  if (plan.changes.length === 0) return `No changes, ${unchanged} unchanged.`
  const counts = `${create} to create, ${update} to update, ${remove} to remove, ${unchanged} unchanged.`
  return `${style.bold(counts)}  ${style.dim(`digest ${plan.digest.slice(0, 12)}`)}`
}

/** The counts of a finished run. */
export function resultCounts(counts: Counts): string {
  return `${counts.create} created, ${counts.update} updated, ${counts.remove} removed, ${counts.unchanged} unchanged`
}
