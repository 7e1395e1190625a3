// Manual steps during a sequence, and those that bring it to rest.
import { consentTo } from '../../src/plan/approval-rules.js'
import type { World } from './world.js'

export function resume({ model, useCases, ask }: World, name: string): void {
  model.suspended.delete(name)
  ask('resume', () => useCases.resumeStack(name, 'person'))
}

/** Approves the plan that needs approval, if there is one. */
export async function approve({ store, useCases, model, signal, ask, report }: World, name: string): Promise<void> {
  const stack = (await store.stacks.get(name))!
  const last = (await store.runs.last([stack.id])).get(stack.id)
  const plan = last?.outcome === 'needs-approval' ? (await store.runs.get(last.id))?.plan : undefined
  if (plan == null) return report('  nothing waits')
  model.approve(name, consentTo(plan, ''))
  report(`  approves ${plan.needsApproval.map(({ rule }) => rule).join(' ')}`)
  ask('approve', () =>
    useCases.approvePlan(name, plan.digest.slice(0, 12), 'person', signal, { overrideWindow: 'test' }),
  )
}
