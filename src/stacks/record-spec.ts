import { stackDefaults, type StackSpec } from '../model/stack.js'

const hourMs = 3_600_000

/**
 * Of a stack that is made over `/api/v2`, whatever it is called: a person acts on it, and nothing is corrected behind
 * their back.
 */
export function recordSpec(target: string, name: string): StackSpec {
  const acting = { drift: 'report', dataLoss: 'allow', driftIntervalMs: hourMs, intervalMs: hourMs } as const
  return { ...stackDefaults, ...acting, name, displayName: '', target, sources: [{ kind: 'inline' }] }
}
