import { createHash, type Hash } from 'node:crypto'
import canonicalizeModule from 'canonicalize'
import type { Change, Plan } from '../model/change.js'
import { finish, type Steps } from '../lib/steps.js'

// Its types say that it is an ES module; it is CommonJS, whose one export is the function.
const canonicalize = canonicalizeModule as unknown as (input: unknown) => string

/** sha256 (hex) over canonical JSON (RFC 8785). Secrets and unknowns are written as their text. */
export function jsonDigest(value: unknown): string {
  return createHash('sha256').update(canonicalize(value)).digest('hex')
}

/**
 * The digest of a plan: of its stack, target, revision and decisive changes. Canonical JSON begins with the changes, so
 * their hash is computed once for all such digests, and never as one text.
 */
export function planDigest({
  stack,
  target,
  revision,
  changes,
}: Pick<Plan, 'stack' | 'target' | 'revision' | 'changes'>): string {
  finish(digestChanges(changes))
  const known = begun.get(changes)!
  const rest = canonicalize({ revision, stack, target })
  return known
    .copy()
    .update(`,${rest.slice(1)}`)
    .digest('hex')
}

const begun = new WeakMap<Plan['changes'], Hash>()

/** Computes the hash of the changes for `planDigest`; a step for each change. */
export function* digestChanges(changes: Plan['changes']): Steps<void> {
  if (begun.has(changes)) return
  const hash = createHash('sha256').update('{"changes":[')
  for (const [at, change] of changes.entries()) {
    hash.update(`${at === 0 ? '' : ','}${canonicalize(decisiveFields(change))}`)
    yield
  }
  begun.set(changes, hash.update(']'))
}

/**
 * The fields of a change that decide what it does; not its reason, nor its place in the order. `untrack` is written as
 * `forget`, as in older versions, so saved plans and approvals stay valid.
 */
export function decisiveFields(change: Change): object {
  const { displayName: _displayName, reason: _reason, needs: _needs, after: _after, losses: _losses, ...rest } = change
  return rest.action === 'untrack' ? { ...rest, action: 'forget' } : rest
}
