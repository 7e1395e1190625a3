// Where a promotion goes: the plans of the stacks that follow the tag, one page at a time by name, the worst of a page
// first. An order over all pages would plan all stacks for each page.
import { useEffect, useState } from 'preact/hooks'
import type { PlannedStackView, PromotionPlans as PlansPage } from '../../../src/views/channel.js'
import { call } from '../../data/call.js'
import { stackPath } from '../../lib/route.js'
import { counted, tidy } from '../../lib/text.js'
import { Counts, Empty, Skeleton } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Changes } from '../plan/changes.js'

const perPage = 20

/** Pages that are planned without a request of a person: 100 stacks, as on the command line. */
const pagesAhead = 5

/** What is known about the plans before a promotion. `failed`: stacks that cannot be planned at the commit. */
export interface PlansRead {
  readonly isReading: boolean
  readonly failed: readonly string[]
  /** Why plans cannot be read. */
  readonly error?: string
}

export const noPlansRead: PlansRead = { isReading: true, failed: [] }

interface PlansProps {
  readonly from: string
  readonly to: string
  /** What the preview shows. If the plans are of another commit, the preview is read again. */
  readonly commit: string
  readonly onMoved: () => void
  readonly onRead: (read: PlansRead) => void
}

/** One for each commit: its `key` contains it. */
export function PromotionPlans({ from, to, commit, onMoved, onRead }: PlansProps) {
  const [pages, setPages] = useState<readonly PlansPage[]>([])
  const [at, setAt] = useState(0)
  const [error, setError] = useState('')
  const wanted = Math.max(pagesAhead, at + 1)
  useEffect(() => {
    const next = pages.length === 0 ? '' : pages.at(-1)!.next
    const isReading = next !== null && pages.length < wanted
    const failed = pages.flatMap(({ items }) =>
      items.filter((one) => one.error !== undefined).map(({ stack }) => stack),
    )
    onRead({ isReading: isReading && error === '', failed, ...(error !== '' && { error }) })
    if (!isReading || error !== '') return
    let isLeft = false
    const parameters = new URLSearchParams({
      from,
      to,
      limit: String(perPage),
      ...(next === '' ? {} : { after: next }),
    })
    const read = async (): Promise<void> => {
      try {
        const answer = await call<PlansPage>('GET', `channels/promotion/plans?${parameters}`)
        if (isLeft) return
        if (answer.commit === commit) setPages([...pages, answer])
        else onMoved()
      } catch (failure) {
        if (!isLeft) setError((failure as Error).message)
      }
    }
    void read()
    return () => {
      isLeft = true
    }
  }, [pages, wanted, error])
  const first = at * perPage
  const page = pages[at]
  if (error !== '')
    return (
      <div class="call s-failed" role="alert">
        <Icon name="failed" size={18} />
        <div>{tidy(error)}</div>
      </div>
    )
  if (page === undefined) return <Skeleton rows={3} />
  if (page.total === 0) return <Empty>No stack follows the tag.</Empty>
  return (
    <>
      <p>
        {counted(page.total, 'stack')} {page.total === 1 ? 'follows' : 'follow'} the tag.{' '}
        {page.total > perPage
          ? `Shown: ${first + 1} to ${first + page.items.length} by name; of these, the worst plan is first. `
          : page.total > 1 && 'The worst plan is first. '}
        {summary(page.items)}
      </p>
      <ul class="plan-list box">
        {page.items.map((item) => (
          <Planned key={item.stack} item={item} />
        ))}
      </ul>
      {page.total > perPage && (
        <div class="more">
          <button type="button" class="btn" disabled={at === 0} onClick={() => setAt(at - 1)}>
            Stacks before
          </button>
          <button type="button" class="btn" disabled={page.next === null} onClick={() => setAt(at + 1)}>
            Next stacks
          </button>
        </div>
      )}
    </>
  )
}

function summary(items: readonly PlannedStackView[]): string {
  const failed = items.filter(({ error }) => error !== undefined).length
  const held = items.filter(({ plan }) => (plan?.needsApproval.length ?? 0) > 0).length
  const parts = [
    ...(failed > 0 ? [`${failed} cannot be planned`] : []),
    ...(held > 0 ? [`${held} will need approval`] : []),
  ]
  return parts.length === 0 ? '' : `${parts.join(', ')}.`
}

function Planned({ item: { stack, plan, error, leaves } }: { readonly item: PlannedStackView }) {
  const [isOpen, setOpen] = useState(false)
  const hasChanges = plan !== undefined && plan.changes.length > 0
  return (
    <li class={isOpen ? 'open' : ''}>
      <div class="plan-row">
        <Link class="name" to={stackPath(stack)}>
          {stack}
        </Link>
        {error !== undefined && <span class="s-failed outcome">{tidy(error.message)}</span>}
        {leaves !== undefined && <span class="s-approval outcome">leaves the fleet {leaves}: suspended there</span>}
        {plan !== undefined && plan.needsApproval.length > 0 && (
          <span class="chip s-approval">
            <Icon name="approval" size={13} />
            needs approval
          </span>
        )}
        {plan !== undefined && <Counts of={plan.counts} />}
        {hasChanges && (
          <button
            type="button"
            class="btn ghost mini"
            aria-expanded={isOpen}
            aria-label={`Plan of ${stack}`}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="down" size={14} class={`fold ${isOpen ? '' : 'shut'}`} />
          </button>
        )}
      </div>
      {isOpen && hasChanges && <Changes plan={plan} />}
    </li>
  )
}
