// One change of a plan, with its fields.
import { useState } from 'preact/hooks'
import type { PlanView } from '../../data/types.js'
import { Icon } from '../../parts/icon.js'
import { difference, lineDifference, meaning, printed, type Marked } from './words.js'

export type Change = PlanView['changes'][number]
type FieldChange = Pick<Change['fields'][number], 'path' | 'old' | 'new'>

const kinds = {
  create: ['add', '+', 'new'],
  update: ['mod', '~', 'changed'],
  remove: ['del', '−', 'removed'],
  untrack: ['nil', '·', 'untracked'],
} as const

const causes: Readonly<Record<Change['reason'], string>> = {
  added: 'new in the package',
  edited: 'edited in the package',
  drifted: 'changed by hand',
  gone: 'removed by hand',
  dropped: 'no longer in the package',
  uninstalled: 'uninstall',
  rollback: 'rollback',
  unpin: 'end of the rollback',
  veto: 'veto',
  pin: 'pin',
  secret: 'a secret changed',
  value: 'a value changed',
}

/** As on the command line: nothing on the target changes, only which stack owns the resource. */
const ownership = ['nil', '=', 'only ownership changes'] as const

function changesOnlyOwnership({ action, fields, adopts, from }: Change): boolean {
  return action === 'update' && fields.length === 0 && adopts !== true && from === undefined
}

/** Why it is in the plan, and what it does to ownership. */
function notesOf(change: Change): string {
  const notes = [
    causes[change.reason],
    change.from === undefined ? '' : `renamed from ${change.from}`,
    change.shares === true ? 'shared: another stack owns it' : '',
    change.takesFrom === undefined ? '' : 'another stack owned it',
    change.action === 'update' && change.fields.length === 0 ? 'only ownership changes' : '',
  ]
  return notes.filter((note) => note !== '').join(', ')
}

interface ChangeProps {
  readonly change: Change
  /** Label mappings of the resource. */
  readonly parts: readonly Change[]
  readonly isOpen: boolean
}

export function ChangeBox({ change, parts, isOpen: isFirstOpen }: ChangeProps) {
  const [isOpen, setOpen] = useState(isFirstOpen)
  const {
    address,
    kind,
    action,
    displayName = address,
    fields,
    shown = fields,
    losesData,
    adopted,
    adopts,
    losses = [],
  } = change
  const [key, sign, word] = changesOnlyOwnership(change) ? ownership : kinds[action]
  const hasFields = shown.length + parts.length + losses.length > 0
  return (
    <article class={`change c-${key}`}>
      <button type="button" class="change-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <b class={`sign ${key}`} role="img" aria-label={word}>
          {sign}
        </b>
        <Icon name={kind} />
        <span class="name">{displayName}</span>
        <span class="dim mono">{address}</span>
        {losesData === true && (
          <span class="chip s-failed">
            <Icon name="failed" size={13} />
            deletes data
          </span>
        )}
        {adopted === true && <span class="chip s-failed">existed before</span>}
        {adopts === true && <span class="chip s-waiting">adopts</span>}
        <span class="dim cause">{notesOf(change)}</span>
        <Icon name="down" size={14} class={`fold ${isOpen ? '' : 'shut'}`} />
      </button>
      {isOpen && hasFields && (
        <div class="fields">
          {losses.map(({ path, message }) => (
            <p key={path + message} class="field-row tall del">
              {message}
            </p>
          ))}
          {shown.map((field) => (
            <Field key={field.path} field={field} />
          ))}
          {parts.map((part) => (
            <div key={part.address} class="field-row">
              <code class="field-path">label {part.address.split('/').at(-1)}</code>
              <span class={part.action === 'remove' ? 'del' : 'add'}>
                {part.action === 'remove' ? 'taken off' : 'put on'}
              </span>
            </div>
          ))}
        </div>
      )}
    </article>
  )
}

const longCharacters = 90

/** A field: its path, the old and the new value. Long texts are shown as lines. */
export function Field({ field: { path, old, new: next } }: { readonly field: FieldChange }) {
  const [a, b] = [old, next].map((value) => (value === undefined ? undefined : printed(value)))
  const isLong = [a, b].some((text) => text !== undefined && (text.includes('\n') || text.length > longCharacters))
  if (isLong)
    return (
      <div class="field-row tall">
        <code class="field-path">{path}</code>
        <pre class="lines" tabIndex={0} role="region" aria-label={`Difference of ${path}`}>
          {lineDifference(a, b).map(({ kind, text }, at) => (
            <span key={at} class={`line-${kind}`}>
              {text}
            </span>
          ))}
        </pre>
      </div>
    )
  const marked = a !== undefined && b !== undefined ? difference(a, b) : undefined
  const words = [old, next].map((value) => meaning(path, value))
  return (
    <div class="field-row">
      <code class="field-path">{path}</code>
      <span class="values">
        {a !== undefined && <Value text={a} marked={marked?.[0]} isOld />}
        {a !== undefined && b !== undefined && <Icon name="right" size={12} title="becomes" />}
        {b !== undefined && <Value text={b} marked={marked?.[1]} />}
        {words.some((word) => word !== undefined) && (
          <span class="dim">{words.filter((word) => word !== undefined).join(' → ')}</span>
        )}
      </span>
    </div>
  )
}

function Value({
  text,
  marked,
  isOld = false,
}: {
  readonly text: string
  readonly marked: Marked | undefined
  readonly isOld?: boolean
}) {
  if (/^\((secret|known after apply)/.test(text)) return <span class="chip">{text}</span>
  const content = (
    <code>
      {marked === undefined ? (
        text
      ) : (
        <>
          {marked.before}
          {marked.marked !== '' && <mark>{marked.marked}</mark>}
          {marked.after}
        </>
      )}
    </code>
  )
  return isOld ? <del>{content}</del> : <ins>{content}</ins>
}
