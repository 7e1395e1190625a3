// The bar at the bottom of a plan: each loss of data is accepted by name, then the plan is approved by its digest.
import { useState } from 'preact/hooks'
import { busy } from '../../actions.js'
import type { PlanView } from '../../data/types.js'
import { stackPath } from '../../lib/route.js'
import { Cli } from '../../parts/basics.js'
import { Link } from '../../parts/link.js'

interface ApprovalProps {
  readonly stack: string
  readonly plan: PlanView
  /** It is not the plan that the person read, or the stack is suspended. */
  readonly isRefused: boolean
  readonly isPreview: boolean
  readonly approve: () => Promise<void>
}

/** One for each digest, which is its `key`: what a person accepted is not accepted of another plan. */
export function Approval({ stack, plan, isRefused, isPreview, approve }: ApprovalProps) {
  const losing = plan.changes.filter(({ losesData, adopted }) => losesData === true || adopted === true)
  const [accepted, setAccepted] = useState<ReadonlySet<string>>(new Set())
  const isReady = losing.every(({ address }) => accepted.has(address)) && !isRefused
  const isBusy = [...busy.value].some((cli) => cli.includes(` ${stack} `))
  const accept = (address: string): void =>
    setAccepted(
      new Set(accepted.has(address) ? [...accepted].filter((one) => one !== address) : [...accepted, address]),
    )
  return (
    <footer class="approve">
      <div class="consents">
        {losing.map(({ address, displayName = address, action, losesData }) => (
          <label key={address}>
            <input type="checkbox" checked={accepted.has(address)} onChange={() => accept(address)} />
            <span>
              {losesData !== true ? 'Delete' : action === 'remove' ? 'Delete the data in' : 'Delete data in'}{' '}
              <b>{displayName}</b>
              {losesData !== true && ', which existed before this stack'}
            </span>
          </label>
        ))}
      </div>
      {!isPreview && <Cli text={`gitmoor approve ${stack} ${plan.digest.slice(0, 12)}`} />}
      <Link class="btn" to={stackPath(stack)}>
        Not now
      </Link>
      <button
        type="button"
        class={`btn decide ${losing.length > 0 ? 'danger' : 'primary'}`}
        disabled={!isReady || isBusy}
        aria-busy={isBusy}
        onClick={() => void approve()}
      >
        {isPreview ? 'Apply' : 'Approve'} <code>{plan.digest.slice(0, 7)}</code>
      </button>
    </footer>
  )
}
