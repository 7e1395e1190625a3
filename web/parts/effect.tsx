// What an action would do, in the dialog that asks before it.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PlannedStackView } from '../../src/views/channel.js'
import { CallError } from '../data/call.js'
import { onEvents } from '../data/events.js'
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

const leastReadMs = 1_000

/** Reads it, and again after events, at most once a second. `read`: undefined: there is nothing to read. */
export function useEffectOf(read: (() => Promise<Effect>) | undefined): ReadEffect {
  const [state, setState] = useState<ReadEffect>({ isReading: read !== undefined, isRefused: false })
  useEffect(() => {
    if (read === undefined) return
    let [begun, shown] = [0, 0]
    let timer: ReturnType<typeof setTimeout> | undefined
    const readOnce = async (): Promise<void> => {
      timer = undefined
      const number = ++begun
      const next = await resultOf(read)
      if (number < shown) return
      shown = number
      setState(next)
    }
    const readSoon = (): void => void (timer ??= setTimeout(() => void readOnce(), leastReadMs))
    void readOnce()
    const stop = onEvents(readSoon)
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [])
  return state
}

async function resultOf(read: () => Promise<Effect>): Promise<ReadEffect> {
  try {
    return { effect: await read(), isReading: false, isRefused: false }
  } catch (error) {
    const isRefused = error instanceof CallError && !error.isPassing
    return { error: (error as Error).message, isReading: false, isRefused }
  }
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
  const { text, plans, link, stacks } = effect
  return (
    <div class="effect">
      <p>{tidy(text)}</p>
      {link !== undefined && (
        <p>
          <Link to={link.to}>{link.text}</Link>
        </p>
      )}
      {plans !== undefined && <Plans key={text} read={plans} stacks={stacks ?? []} />}
    </div>
  )
}

type PlansState = 'closed' | 'reading' | { readonly error: string } | readonly PlannedStackView[]

interface PlansProps {
  readonly read: () => Promise<readonly PlannedStackView[]>
  readonly stacks: readonly string[]
}

/** Planning reads targets, so a person asks for it, and again after one of the stacks changed. */
function Plans({ read, stacks }: PlansProps) {
  const [plans, setPlans] = useState<PlansState>('closed')
  const reads = useRef(0)
  const show = (): void => {
    const number = ++reads.current
    const set = (next: PlansState): void => {
      if (number === reads.current) setPlans(next)
    }
    setPlans('reading')
    read().then(set, ({ message: error }: Error) => set({ error }))
  }
  useEffect(
    () =>
      onEvents((changes) => {
        if (!changes.reset && !changes.more && !stacks.some((name) => changes.stacks.has(name))) return
        reads.current++
        setPlans('closed')
      }),
    [stacks],
  )
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
