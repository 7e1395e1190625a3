// What an action would do, in the dialog that asks before it.
import { useEffect, useState } from 'preact/hooks'
import type { PlannedStackView } from '../../src/views/channel.js'
import { asked } from '../actions.js'
import { CallError } from '../data/call.js'
import type { Effect } from '../effects.js'
import { tidy } from '../lib/text.js'
import { Counts } from './basics.js'
import { Link } from './link.js'

/** `isRefused`: the agent would refuse the action. */
export interface ReadEffect {
  readonly effect?: Effect
  readonly error?: string
  readonly isReading: boolean
  readonly isRefused: boolean
}

/** Reads it once. `read`: undefined: there is nothing to read. */
export function useEffectOf(read: (() => Promise<Effect>) | undefined): ReadEffect {
  const [state, setState] = useState<ReadEffect>({ isReading: read !== undefined, isRefused: false })
  useEffect(() => {
    read?.().then(
      (effect) => setState({ effect, isReading: false, isRefused: false }),
      (error: Error) => {
        const isRefused = error instanceof CallError && !error.isPassing
        setState({ error: error.message, isReading: false, isRefused })
      },
    )
  }, [])
  return state
}

export function EffectText({ of: { effect, error, isReading, isRefused } }: { readonly of: ReadEffect }) {
  if (isReading) return <p role="status">Reading what this does …</p>
  if (error !== undefined)
    return (
      <p class="error" role="alert">
        {!isRefused && 'What this does cannot be read: '}
        {tidy(error)}
      </p>
    )
  if (effect === undefined) return null
  const { text, plans, link } = effect
  return (
    <div class="effect">
      <p>{tidy(text)}</p>
      {link !== undefined && (
        <p onClick={() => (asked.value = undefined)}>
          <Link to={link.to}>{link.text}</Link>
        </p>
      )}
      {plans !== undefined && <Plans read={plans} />}
    </div>
  )
}

type PlansState = 'closed' | 'reading' | { readonly error: string } | readonly PlannedStackView[]

/** Planning reads targets, so a person asks for it. */
function Plans({ read }: { readonly read: () => Promise<readonly PlannedStackView[]> }) {
  const [plans, setPlans] = useState<PlansState>('closed')
  const show = (): void => {
    setPlans('reading')
    read().then(setPlans, ({ message: error }: Error) => setPlans({ error }))
  }
  if (plans === 'closed' || plans === 'reading')
    return (
      <button type="button" class="btn mini" disabled={plans === 'reading'} onClick={show}>
        {plans === 'closed' ? 'Show what changes' : 'Planning …'}
      </button>
    )
  if ('error' in plans)
    return (
      <p class="error" role="alert">
        {tidy(plans.error)}
      </p>
    )
  const shown = plans.filter(({ plan, error, leaves }) => plan ?? error ?? leaves)
  return (
    <>
      <ul tabIndex={0} aria-label="What changes">
        {shown.map(({ stack, plan, error, leaves }) => (
          <li key={stack}>
            <span>{stack}</span>
            {plan !== undefined && <Counts of={plan.counts} />}
            {plan !== undefined && plan.needsApproval.length > 0 && <span class="s-approval">needs approval</span>}
            {error !== undefined && <span class="s-failed">{tidy(error.message)}</span>}
            {leaves !== undefined && <span>suspended: it leaves the fleet {leaves}</span>}
          </li>
        ))}
      </ul>
      {plans.length > shown.length && <p class="dim">The plans of the others are not shown.</p>}
    </>
  )
}
