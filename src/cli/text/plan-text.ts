// A plan as lines: changes marked `+ ~ -` with their fields, reasons for approval, and a line of counts.
import type { Change, Counts, FieldChange } from '../../model/change.js'
import { printable } from '../../lib/printable.js'
import type { PlanView } from '../../views/plan.js'
import { diffLines } from './line-diff.js'
import { shortRevision } from './short-forms.js'
import type { Display, Style } from './text.js'

/** Limits on a terminal: fields of a new resource, and lines of a text. */
const fieldsShown = 12
const linesShown = 40

export function planLines(plan: PlanView, display: Display): readonly string[] {
  const { style } = display
  const name = style.bold(printable(plan.stackName))
  const title = `${name} at ${shortRevision(plan.revision)} on target ${printable(plan.target)}`
  return [
    title,
    '',
    ...changesBlock(plan.changes, display),
    ...ignoredLines(plan, display),
    ...approvalLines(plan, style),
    planCounts(plan, style),
  ]
}

/** Limit on a terminal. */
const ignoredShown = 10

function ignoredLines({ ignored }: PlanView, { style, width }: Display): readonly string[] {
  const shown = ignored.slice(0, width === undefined ? ignored.length : ignoredShown)
  const rest = ignored.length - shown.length
  const lines = shown.map(({ address, path }) => style.dim(`  = ${printable(`${address}  ${path}`)}: ignored`))
  if (rest > 0) lines.push(style.dim(`  … and ${rest} more ignored`))
  return lines.length === 0 ? [] : [...lines, '']
}

function changesBlock(changes: readonly Change[], display: Display): readonly string[] {
  const lines = changes.flatMap((change) => changeLines(change, display))
  return lines.length === 0 ? [] : [...lines, '']
}

/**
 * One change: its sign, address, reason and fields. On a terminal, a new part (a label mapping) is one line without
 * fields.
 */
export function changeLines(change: Change, display: Display): readonly string[] {
  const { style } = display
  const sign = signs[change.action]
  const named = `${style.bold(printable(change.address))}${displayNameText(change)}`
  const head = `  ${paintSign(sign, style)} ${named}  ${style.dim(changeNotes(change))}`
  const short = display.width !== undefined && change.action === 'create'
  if (short && change.partOf !== undefined) return [head]
  const limit = short ? fieldsShown : Number.POSITIVE_INFINITY
  const shown = change.fields.slice(0, limit)
  const rest = change.fields.length - shown.length
  return [
    head,
    ...shown.flatMap((field) => fieldLines(field, change.action, display)),
    ...(rest > 0 ? [style.dim(`      … and ${rest} more ${rest === 1 ? 'field' : 'fields'}`)] : []),
    ...(change.losses ?? []).map(({ path, message }) => style.red(`      ! ${printable(`${path}: ${message}`)}`)),
  ]
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

const reasons: Readonly<Record<Change['reason'], string>> = {
  added: 'new in the package',
  edited: 'changed in the package',
  drifted: 'changed on the target',
  gone: 'missing on the target',
  dropped: 'no longer in the package',
  uninstalled: 'stack uninstalled',
}

export function reasonText(reason: Change['reason']): string {
  return reasons[reason]
}

function changeNotes(change: Change): string {
  const notes = [
    reasons[change.reason],
    ...(change.from === undefined ? [] : [`renamed from ${printable(change.from)}`]),
    ...(change.adopts === true ? ['adopts the existing resource'] : []),
    ...(change.shares === true ? ['shared: another stack owns it'] : []),
    ...(change.action === 'untrack' ? ['untracked, stays on the target'] : []),
    ...(change.losesData === true ? ['loses data'] : []),
    ...(change.action === 'update' && change.fields.length === 0 ? ['only ownership changes'] : []),
  ]
  return notes.join(', ')
}

function paintSign(sign: '+' | '~' | '-', style: Style): string {
  if (sign === '+') return style.green(sign)
  return sign === '-' ? style.red(sign) : style.yellow(sign)
}

/** One field: its old and new value; for a new resource, its value. */
export function fieldLines(field: FieldChange, action: Change['action'], display: Display): readonly string[] {
  const old = field.old as unknown
  const new_ = field.new as unknown
  const path = `      ${printable(field.path)}:`
  if (isMultiline(old) && isMultiline(new_)) return [path, ...textDiff(old, new_, display)]
  if (action === 'create' && isMultiline(new_)) return [path, ...textDiff(undefined, new_, display)]
  if (action === 'create') return [`${path} ${showValue(new_, display)}`]
  return [`${path} ${showValue(old, display)} → ${showValue(new_, display)}`]
}

/** True for text of several lines, which is shown as a diff of lines. */
function isMultiline(value: unknown): value is string {
  return typeof value === 'string' && value.trimEnd().includes('\n')
}

function textDiff(old: string | undefined, new_: string, display: Display): readonly string[] {
  const [before, after] = withoutFinalNewline(old, new_)
  const lines =
    before === undefined ? after.split('\n').map((text) => ({ sign: '+' as const, text })) : diffLines(before, after)
  const limit = display.width === undefined ? lines.length : linesShown
  const shown = lines.slice(0, limit).map((line) => {
    const text = `        ${line.sign} ${line.text.split('\t').map(printable).join('\t')}`.trimEnd()
    return line.sign === '+'
      ? display.style.green(text)
      : line.sign === '-'
        ? display.style.red(text)
        : display.style.dim(text)
  })
  const rest = lines.length - shown.length
  return rest > 0 ? [...shown, display.style.dim(`        … and ${rest} more lines`)] : shown
}

/** Removes the line break at the end of both texts. */
function withoutFinalNewline(old: string | undefined, new_: string): readonly [string | undefined, string] {
  const both = new_.endsWith('\n') && (old === undefined || old.endsWith('\n'))
  return both ? [old?.slice(0, -1), new_.slice(0, -1)] : [old, new_]
}

/**
 * A value as JSON on one line, on a terminal shortened to a third of its width. `(none)` for no value; `(secret …)` and
 * `(known after apply …)` are shown as they are.
 */
export function showValue(value: unknown, display: Display): string {
  if (value === undefined) return display.style.dim('(none)')
  const text =
    typeof value === 'string' && /^\((?:secret|known after apply)\b/.test(value) ? value : JSON.stringify(value)
  const limit = display.width === undefined ? Number.POSITIVE_INFINITY : Math.max(24, Math.floor(display.width / 3))
  return printable(text.length > limit ? `${text.slice(0, limit - 1)}…` : text)
}

function approvalLines(plan: PlanView, style: Style): readonly string[] {
  if (plan.needsApproval.length === 0) return []
  return [
    style.yellow('This plan needs approval. gitmoor applies nothing until you approve it:'),
    ...plan.needsApproval.map(({ rule, message }) => `  ${style.yellow('!')} ${rule}: ${printable(message)}`),
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
