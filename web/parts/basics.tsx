// Small parts of all views.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { CountsView, RunRow } from '../data/types.js'
import { stateKeys, type StateWord } from '../data/states.js'
import { tintOf } from '../data/tints.js'
import { commitUrl, type Links } from '../lib/links.js'
import { stackPath } from '../lib/route.js'
import { visible } from '../lib/text.js'
import { absolute, ago, until } from '../lib/time.js'
import { Icon } from './icon.js'
import { Link } from './link.js'

/** The state word with its shape. `solid`: on its own tint. */
export function State({ of, solid = false }: { readonly of: StateWord; readonly solid?: boolean }) {
  const key = stateKeys[of]
  return (
    <span class={`state s-${key} ${solid ? 'solid' : ''}`}>
      <Icon name={key} class={key === 'running' ? 'spin' : ''} />
      {of}
    </span>
  )
}

interface TimeProps {
  readonly at: string | null | undefined
  readonly words?: (at: string) => string
}

/** How long ago; the absolute time on hover and focus. */
export function Time({ at, words = ago }: TimeProps) {
  if (at === null || at === undefined) return <span class="dim">–</span>
  return (
    <time dateTime={at} title={absolute(at)}>
      {words(at)}
    </time>
  )
}

/** In how long something happens. */
export function Until({ at }: Pick<TimeProps, 'at'>) {
  return <Time at={at} words={until} />
}

interface CommitProps {
  readonly id: string | null | undefined
  /** Of its repository. Absent: the commit is no link. */
  readonly links?: Links
}

/** The short id of a commit, which opens it on its Git host. */
export function Commit({ id, links }: CommitProps) {
  const url = commitUrl(links, id)
  const short = <code>{id?.slice(0, 7) ?? 'nothing'}</code>
  if (url === undefined) return <span class={`commit t-${tintOf(id)}`}>{short}</span>
  return (
    <Outside class={`commit t-${tintOf(id)}`} to={url}>
      {short}
    </Outside>
  )
}

/** A link to another site, in a tab of its own. */
export function Outside({
  to,
  class: more = 'out',
  children,
}: {
  readonly to: string
  readonly class?: string
  readonly children: ComponentChildren
}) {
  return (
    <a class={more} href={to} target="_blank" rel="noreferrer" title={`Open on ${new URL(to).hostname}`}>
      {children}
    </a>
  )
}

export function Counts({ of }: { readonly of: CountsView | null | undefined }) {
  if (!of || of.create + of.update + of.remove === 0) return <span class="counts dim">no changes</span>
  const parts = [
    ['add', '+', of.create, 'new'],
    ['mod', '~', of.update, 'changed'],
    ['del', '−', of.remove, 'removed'],
  ] as const
  return (
    <span class="counts" role="img" aria-label={parts.map(([, , count, word]) => `${count} ${word}`).join(', ')}>
      {parts.map(([key, sign, count]) => (
        <b key={key} class={count > 0 ? key : 'nil'}>
          {sign}
          {count}
        </b>
      ))}
    </span>
  )
}

/** The changes of a run in a list. Nothing for a run that changed nothing: its outcome says why. */
export function RunCounts({ run: { outcome, changes } }: { readonly run: Pick<RunRow, 'outcome' | 'changes'> }) {
  const hasChanges = changes !== null && changes.create + changes.update + changes.remove > 0
  return hasChanges || outcome === 'applied' ? <Counts of={changes} /> : null
}

/** False: the browser does not permit it. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** A command line; a click copies it. */
export function Cli({ text: given }: { readonly text: string }) {
  const text = visible(given) // it may have words of the address
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    void copyText(text).then(setCopied)
    setTimeout(() => setCopied(false), 1_200)
  }
  return (
    <button type="button" class="cli" onClick={copy} aria-label={`Copy: ${text}`}>
      <code>{text}</code>
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
    </button>
  )
}

export function Clis({ of }: { readonly of: readonly string[] }) {
  return (
    <div class="clis">
      {of.map((text) => (
        <Cli key={text} text={text} />
      ))}
    </div>
  )
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}

export function Skeleton({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <i key={at} />
      ))}
    </div>
  )
}

/** The way to this view. The last entry is the view itself. */
export function Crumbs({ to, here }: { readonly to: readonly (readonly [string, string])[]; readonly here: string }) {
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      {to.map(([path, text]) => (
        <>
          <Link to={path}>{text}</Link>
          <Icon name="right" size={12} />
        </>
      ))}
      <span aria-current="page">{here}</span>
    </nav>
  )
}

/** The way to a view of a stack. */
export function StackCrumbs({ stack, here }: { readonly stack: string; readonly here: string }) {
  const stacks = ['/stacks', 'Stacks'] as const
  return <Crumbs to={[stacks, [stackPath(stack), stack]]} here={here} />
}

/** A name and its value, with a line below. */
export function Fact({
  name,
  note,
  children,
}: {
  readonly name: string
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {note !== undefined && <small>{note}</small>}
      </dd>
    </div>
  )
}
