import { createHash, type Hash } from 'node:crypto'
import canonicalizeModule from 'canonicalize'
import type { Change, Plan } from '../model/change.js'
import { finish, type Steps } from '../model/turns.js'

// Its types say that it is an ES module; it is CommonJS, whose one export is the function.
const canonicalize = canonicalizeModule as unknown as (input: unknown) => string

/** sha256 (hex) over canonical JSON (RFC 8785). Secrets and unknowns stand as their text. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalize(value)).digest('hex')
}

/**
 * Of a plan: `digestOf` its stack, target, revision and decisive changes. In canonical JSON the changes stand first, so they are gone through once for all
 * digests of the same changes, and never stand in one text.
 */
export function digestOfPlan({ stack, target, revision, changes }: Pick<Plan, 'stack' | 'target' | 'revision' | 'changes'>): string {
  finish(digestChanges(changes))
  const known = begun.get(changes)!
  const rest = canonicalize({ revision, stack, target })
  return known
    .copy()
    .update(`,${rest.slice(1)}`)
    .digest('hex')
}

const begun = new WeakMap<Plan['changes'], Hash>()

/** Goes through the changes, so that `digestOfPlan` need not; a step for each. */
export function* digestChanges(changes: Plan['changes']): Steps<void> {
  if (begun.has(changes)) return
  const hash = createHash('sha256').update('{"changes":[')
  for (const [at, change] of changes.entries()) {
    hash.update(`${at === 0 ? '' : ','}${canonicalize(decisive(change))}`)
    yield
  }
  begun.set(changes, hash.update(']'))
}

/** What of a change is in a plan's digest: all that decides what is done. Not why, and not in which company. */
export function decisive(change: Change): object {
  const { displayName: _displayName, reason: _reason, needs: _needs, after: _after, losses: _losses, ...rest } = change
  return rest
}
