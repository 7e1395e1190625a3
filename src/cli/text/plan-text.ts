// A plan as lines: `+ ~ -`, the fields that differ, what holds it, and a line of counts.
import type { Change, Counts, FieldChange } from '../../model/change.js'
import { printable } from '../../lib/printable.js'
import type { PlanView } from '../../views/plan.js'
import { diffLines } from './line-diff.js'
import { shortRevision } from './short-forms.js'
import type { Display, Style } from './text.js'

/** On a terminal a new thing shows at most so many of its fields, and a text so many lines. */
const fieldsShown = 12
const linesShown = 40

export function planLines(plan: PlanView, look: Display): readonly string[] {
  const { style } = look
  const title = `${style.bold(printable(plan.stackName))} at ${shortRevision(plan.revision)} on target ${printable(plan.target)}`
  return [
    title,
    '',
    ...changesBlock(plan.changes, look),
    ...ignoredLines(plan, look),
    ...approvalLines(plan, style),
    planCounts(plan, style),
  ]
}

/** On a terminal so many of the fields that are left to others are named. */
const ignoredShown = 10

function ignoredLines({ ignored }: PlanView, { style, width }: Display): readonly string[] {
  const shown = ignored.slice(0, width === undefined ? ignored.length : ignoredShown)
  const rest = ignored.length - shown.length
  const lines = shown.map(({ address, path }) =>
    style.dim(`  = ${printable(`${address}  ${path}`)}: ignored, left as it is`),
  )
  if (rest > 0) lines.push(style.dim(`  … and ${rest} more ignored`))
  return lines.length === 0 ? [] : [...lines, '']
}

function changesBlock(changes: readonly Change[], look: Display): readonly string[] {
  const lines = changes.flatMap((change) => changeLines(change, look))
  return lines.length === 0 ? [] : [...lines, '']
}

/**
 * One change: its sign and address, why, and what differs. On a terminal, of a new part (a label mapping) only that it
 * is new.
 */
export function changeLines(change: Change, look: Display): readonly string[] {
  const { style } = look
  const sign = signs[change.action]
  const head = `  ${paintSign(sign, style)} ${style.bold(printable(change.address))}${displayNameText(change)}  ${style.dim(changeNotes(change))}`
  const short = look.width !== undefined && change.action === 'create'
  if (short && change.partOf !== undefined) return [head]
  const limit = short ? fieldsShown : Number.POSITIVE_INFINITY
  const shown = change.fields.slice(0, limit)
  const rest = change.fields.length - shown.length
  return [
    head,
    ...shown.flatMap((field) => fieldLines(field, change.action, look)),
    ...(rest > 0 ? [style.dim(`      … and ${rest} more ${rest === 1 ? 'field' : 'fields'}`)] : []),
    ...(change.losses ?? []).map(({ path, message }) => style.red(`      ! ${printable(`${path}: ${message}`)}`)),
  ]
}

const signs = { create: '+', update: '~', remove: '-', forget: '-' } as const satisfies Readonly<
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

const reasons: Readonly<Record<Change['reason'], string>> = {
  added: 'new in the package',
  edited: 'edited in the package',
  drifted: 'changed on the target',
  gone: 'gone from the target',
  dropped: 'no longer in the package',
  uninstalled: 'the stack is uninstalled',
}

export function reasonText(reason: Change['reason']): string {
  return reasons[reason]
}

function changeNotes(change: Change): string {
  const notes = [
    reasons[change.reason],
    ...(change.from === undefined ? [] : [`was ${printable(change.from)}`]),
    ...(change.adopts === true ? ['takes over what is there'] : []),
    ...(change.shares === true ? ['shared: another stack owns it'] : []),
    ...(change.action === 'forget' ? ['stays on the target'] : []),
    ...(change.losesData === true ? [change.losses === undefined ? 'loses its data' : 'loses data'] : []),
    ...(change.action === 'update' && change.fields.length === 0 ? ['only the record changes'] : []),
  ]
  return notes.join(', ')
}

function paintSign(sign: '+' | '~' | '-', style: Style): string {
  if (sign === '+') return style.green(sign)
  return sign === '-' ? style.red(sign) : style.yellow(sign)
}

/** One field: what it was and what it is; of a thing that is made, what it is. */
export function fieldLines(field: FieldChange, action: Change['action'], look: Display): readonly string[] {
  const old = field.old as unknown
  const new_ = field.new as unknown
  const path = `      ${printable(field.path)}:`
  if (isMultiline(old) && isMultiline(new_)) return [path, ...textDiff(old, new_, look)]
  if (action === 'create' && isMultiline(new_)) return [path, ...textDiff(undefined, new_, look)]
  if (action === 'create') return [`${path} ${showValue(new_, look)}`]
  return [`${path} ${showValue(old, look)} → ${showValue(new_, look)}`]
}

/** A text of several lines, or beside one: shown line by line. */
function isMultiline(value: unknown): value is string {
  return typeof value === 'string' && value.trimEnd().includes('\n')
}

function textDiff(old: string | undefined, new_: string, look: Display): readonly string[] {
  const [before, after] = withoutFinalNewline(old, new_)
  const lines =
    before === undefined ? after.split('\n').map((text) => ({ sign: '+' as const, text })) : diffLines(before, after)
  const limit = look.width === undefined ? lines.length : linesShown
  const shown = lines.slice(0, limit).map((line) => {
    const text = `        ${line.sign} ${line.text.split('\t').map(printable).join('\t')}`.trimEnd()
    return line.sign === '+' ? look.style.green(text) : line.sign === '-' ? look.style.red(text) : look.style.dim(text)
  })
  const rest = lines.length - shown.length
  return rest > 0 ? [...shown, look.style.dim(`        … and ${rest} more lines`)] : shown
}

/** A line break at the end of both texts is no line of its own. */
function withoutFinalNewline(old: string | undefined, new_: string): readonly [string | undefined, string] {
  const both = new_.endsWith('\n') && (old === undefined || old.endsWith('\n'))
  return both ? [old?.slice(0, -1), new_.slice(0, -1)] : [old, new_]
}

/**
 * A value as JSON on one line; on a terminal shortened to a third of it. What is not there is `(none)`; secrets and
 * values known later stand as they are.
 */
export function showValue(value: unknown, look: Display): string {
  if (value === undefined) return look.style.dim('(none)')
  const text =
    typeof value === 'string' && /^\((?:secret|known after apply)\b/.test(value) ? value : JSON.stringify(value)
  const limit = look.width === undefined ? Number.POSITIVE_INFINITY : Math.max(24, Math.floor(look.width / 3))
  return printable(text.length > limit ? `${text.slice(0, limit - 1)}…` : text)
}

function approvalLines(plan: PlanView, style: Style): readonly string[] {
  if (plan.needsApproval.length === 0) return []
  return [
    style.yellow('This plan waits for a person; nothing is written until then:'),
    ...plan.needsApproval.map((hold) => `  ${style.yellow('!')} ${hold.rule}: ${printable(hold.message)}`),
    `  next: gitmoor approve ${printable(plan.stackName)} ${plan.digest.slice(0, 12)}`,
    '',
  ]
}

function planCounts(plan: PlanView, style: Style): string {
  const { create, update, remove, unchanged } = plan.counts
  if (plan.changes.length === 0) return `Nothing to change, ${unchanged} unchanged.`
  const counts = `${create} to create, ${update} to update, ${remove} to remove, ${unchanged} unchanged.`
  return `${style.bold(counts)}  ${style.dim(`digest ${plan.digest.slice(0, 12)}`)}`
}

/** What a run did. */
export function resultCounts(counts: Counts): string {
  return `${counts.create} created, ${counts.update} updated, ${counts.remove} removed, ${counts.unchanged} unchanged`
}
