// A section that loads by itself and shows its own error and age.
import { Component, type ComponentChildren } from 'preact'
import { clockText } from '../lib/time.js'
import type { Read } from '../data/read.js'
import { Skeleton } from './basics.js'
import { Icon } from './icon.js'

interface LoadedProps<T> {
  readonly read: Read<T>
  /** Rows of the skeleton. */
  readonly rows?: number
  /** What errors are about: `the stacks`. */
  readonly what: string
  readonly children: (data: T) => ComponentChildren
}

/** What was read, or a skeleton, or why it cannot be read. Older data stays with a note. */
export function Loaded<T>({ read, rows = 4, what, children }: LoadedProps<T>) {
  const { value: data } = read.data
  const { value: error } = read.error
  if (data === undefined && error === undefined) return <Skeleton rows={rows} />
  return (
    <>
      {error !== undefined && (
        <div class="call s-failed" role="status">
          <Icon name="failed" size={18} />
          <div>
            <p>
              <b>
                {data === undefined ? `Cannot show ${what}.` : `Not updated since ${clockText(read.readAt.value)} UTC.`}
                {error.isPassing && ' Retrying in 5 s.'}
              </b>
            </p>
            <p>{error.message}</p>
            {error.hint !== '' && <p class="dim">{error.hint}</p>}
          </div>
          <button type="button" class="btn" onClick={() => void read.again()}>
            Retry now
          </button>
        </div>
      )}
      {data !== undefined && children(data)}
    </>
  )
}

/** What a defect of the page breaks is one section, not the view. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { readonly isBroken: boolean }> {
  static override getDerivedStateFromError(): { readonly isBroken: boolean } {
    return { isBroken: true }
  }

  override render({ children }: { readonly children: ComponentChildren }): ComponentChildren {
    return this.state.isBroken ? <p class="empty">This section cannot be shown. Reload the page.</p> : children
  }
}

interface SectionProps {
  readonly id: string
  readonly title: ComponentChildren
  readonly count?: number | undefined
  readonly note?: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

export function Section({ id, title, count, note, class: more = '', children }: SectionProps) {
  return (
    <section aria-labelledby={id} class={more}>
      <div class="heading">
        <h2 id={id}>
          {title} {count !== undefined && <span class="number">{count.toLocaleString()}</span>}
        </h2>
        {note !== undefined && <div class="dim note-right">{note}</div>}
      </div>
      <Boundary>{children}</Boundary>
    </section>
  )
}
