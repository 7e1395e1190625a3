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

interface PlansProps {
  readonly from: string
  readonly to: string
  /** What the preview shows. If the plans are of another commit, the preview is read again. */
  readonly commit: string
  readonly onMoved: () => void
}

export function PromotionPlans({ from, to, commit, onMoved }: PlansProps) {
  /** The cursors of the pages up to this one; the first page has none. */
  const [cursors, setCursors] = useState<readonly string[]>([''])
  const [page, setPage] = useState<PlansPage>()
  const [error, setError] = useState('')
  useEffect(() => {
    let isLeft = false
    setPage(undefined)
    setError('')
    const after = cursors.at(-1)!
    const parameters = new URLSearchParams({ from, to, limit: String(perPage), ...(after === '' ? {} : { after }) })
    const read = async (): Promise<void> => {
      try {
        const answer = await call<PlansPage>('GET', `channels/promotion/plans?${parameters}`)
        if (isLeft) return
        if (answer.commit === commit) setPage(answer)
        else onMoved()
      } catch (failure) {
        if (!isLeft) setError((failure as Error).message)
      }
    }
    void read()
    return () => {
      isLeft = true
    }
  }, [from, to, commit, cursors])
  const first = (cursors.length - 1) * perPage
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
          <button
            type="button"
            class="btn"
            disabled={cursors.length === 1}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            Stacks before
          </button>
          <button
            type="button"
            class="btn"
            disabled={page.next === null}
            onClick={() => setCursors([...cursors, page.next ?? ''])}
          >
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
