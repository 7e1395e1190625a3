import { createHash, type Hash } from 'node:crypto'
import canonicalizeModule from 'canonicalize'
import { isSmall } from '../lib/small-json.js'
import { compareText } from '../lib/text/compare-text.js'
import type { Change, Plan } from '../model/resources/change.js'
import { isObject } from '../model/json.js'
import { finish, type Steps } from '../lib/async/steps.js'

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

/** Computes the hash of the changes for `planDigest`; a step for each change, and for each element of a long list. */
export function* digestChanges(changes: Plan['changes']): Steps<void> {
  if (begun.has(changes)) return
  const hash = createHash('sha256').update('{"changes":[')
  for (const [at, change] of changes.entries()) {
    if (at > 0) hash.update(',')
    for (const text of canonicalTexts(decisiveFields(change), isOnePiece(change) ? 0 : levelsOfChange)) {
      hash.update(text)
      yield
    }
  }
  begun.set(changes, hash.update(']'))
}

/** The change, its fields, one of them, and the list in it. */
const levelsOfChange = 4

function isOnePiece({ fields }: Change): boolean {
  return isSmall(fields) || !fields.some(({ old, new: desired }) => Array.isArray(old) || Array.isArray(desired))
}

/** Canonical JSON in pieces. Values below so many levels are one piece each. */
function* canonicalTexts(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || (!Array.isArray(value) && !isObject(value))) return yield canonicalize(value)
  const isList = Array.isArray(value)
  const entries = isList ? [...value.entries()] : Object.entries(value).sort(([a], [b]) => compareText(a, b))
  yield isList ? '[' : '{'
  for (const [at, [key, one]] of entries.entries()) {
    yield `${at > 0 ? ',' : ''}${isList ? '' : `${canonicalize(key)}:`}`
    yield* canonicalTexts(one, levels - 1)
  }
  yield isList ? ']' : '}'
}

/** Which fields of a change decide what it does: not its reason, its place in the order, and what only people read. */
const decides: Readonly<Record<keyof Change, boolean>> = {
  address: true,
  kind: true,
  identity: true,
  action: true,
  adopts: true,
  from: true,
  shares: true,
  takesFrom: true,
  fields: true,
  losesData: true,
  adopted: true,
  partOf: true,
  first: true,
  last: false,
  lost: false,
  losses: false,
  shown: false,
  displayName: false,
  reason: false,
  needs: false,
  edges: false,
  timeoutMs: false,
  after: false,
}

/** `untrack` is written as `forget`, as in older versions, so saved plans and approvals stay valid. */
export function decisiveFields(change: Change): object {
  const fields = Object.fromEntries(Object.entries(change).filter(([key]) => decides[key as keyof Change]))
  return change.action === 'untrack' ? { ...fields, action: 'forget' } : fields
}
