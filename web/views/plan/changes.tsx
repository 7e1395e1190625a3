// The changes of a plan: removals first, then new, changed and untracked resources.
import type { PlanView } from '../../data/types.js'
import { counted } from '../../lib/text.js'
import { Icon } from '../../parts/icon.js'
import { ChangeBox, type Change } from './change.js'

const groups = [
  ['remove', 'Removed'],
  ['create', 'New'],
  ['update', 'Changed'],
  ['untrack', 'Untracked'],
] as const

/** Above this number they are collapsed. */
const mostOpen = 50

/** `ignored`: of plans. */
type Changed = Pick<PlanView, 'changes' | 'counts'> & Partial<Pick<PlanView, 'ignored'>>

export function Changes({ plan }: { readonly plan: Changed }) {
  const own = plan.changes.filter(({ partOf }) => partOf === undefined)
  const partsOf = (address: string): readonly Change[] => plan.changes.filter(({ partOf }) => partOf === address)
  const loose = plan.changes.filter(
    ({ partOf }) => partOf !== undefined && !own.some(({ address }) => address === partOf),
  )
  const losesData = (change: Change): number => (change.losesData === true ? 0 : 1)
  return (
    <div class="changes">
      {groups.map(([action, title]) => {
        const changes = own.filter((change) => change.action === action).sort((a, b) => losesData(a) - losesData(b))
        if (changes.length === 0) return null
        return (
          <section key={action} class="changes-group changes" aria-label={title} data-entries>
            {changes.map((change) => (
              <ChangeBox
                key={change.address}
                change={change}
                parts={partsOf(change.address)}
                isOpen={own.length <= mostOpen}
              />
            ))}
          </section>
        )
      })}
      {loose.map((change) => (
        <ChangeBox key={change.address} change={change} parts={[]} isOpen={false} />
      ))}
      <p class="rest">
        <Icon name="synced" /> {counted(plan.counts.unchanged, 'resource')} unchanged
        {plan.ignored !== undefined && plan.ignored.length > 0 && `, ${counted(plan.ignored.length, 'field')} ignored`}
      </p>
    </div>
  )
}
