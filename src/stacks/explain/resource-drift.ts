// Compares one resource on its target with what was applied, and says whether it works.
import { abortAfter } from '../../lib/async/abort-after.js'
import { Bug, describeError, SyncError } from '../../model/errors.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Observed, Owned } from '../../model/resources/resource.js'
import type { Stack } from '../../model/stacks/stack.js'
import { inActualOrder } from '../../plan/any-order.js'
import { compareIgnoring, ignoredFieldsByFamily } from '../../plan/ignored.js'
import { whyUnhealthy } from '../../plan/unhealthy.js'
import { callDriver } from '../../platform/call-driver.js'
import type { ResourceLookup } from '../../platform/platform.js'
import type { ResourceDetail, ResourceDrift } from '../../views/explanation.js'
import type { Context } from '../context.js'
import { kindsByName } from '../targets.js'

/** An explanation does not wait longer for a target. */
const readMs = 5_000

/** `driftUnknown`: why the target was not read, as a sentence. */
type DriftOrReason = Pick<ResourceDetail, 'drift' | 'driftUnknown' | 'unhealthy'>

/** How a resource of the stack differs on its target, without ignored fields, and whether it works. */
export async function resourceDrift(
  { sync }: Context,
  { spec }: Stack,
  owned: Owned,
  signal: AbortSignal | undefined,
): Promise<DriftOrReason> {
  const soon = abortAfter(readMs, signal)
  try {
    return await sync.targets.reach(spec.target, { stack: spec.name }, soon, async (reached) => {
      const { connection, calling, platform } = reached
      const kind = kindsByName(platform)(owned.kind, owned.address)
      if (kind === undefined) return { driftUnknown: `Platform ${platform.name} has no kind ${owned.kind}.` }
      const driver = connection.driver(kind)
      const lookups = [lookup(owned, kind)]
      const read = await callDriver(`read ${owned.address}`, calling, (inner) => driver.read(lookups, inner), soon)
      const there = read.get(owned.address)
      return { drift: difference(owned, kind, there, spec.ignore), ...health(kind, there) }
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (soon.aborted) return { driftUnknown: `The target did not answer within ${readMs / 1000} s.` }
    if (!(error instanceof SyncError) || error instanceof Bug) throw error
    return { driftUnknown: describeError(error) }
  }
}

/** A shared resource is found by its key: its owner may have created it again. */
function lookup({ address, identity, shared, applied }: Owned, { matching }: Kind): ResourceLookup {
  const key = shared === true ? matching?.key(applied) : undefined
  return key === undefined ? { address, identity } : { address, key }
}

function health(kind: Kind, there: Observed | undefined): Pick<ResourceDetail, 'unhealthy'> {
  return kind.health === undefined || there === undefined ? {} : { unhealthy: whyUnhealthy(kind, there) ?? null }
}

function difference(
  { applied }: Owned,
  kind: Kind,
  there: Observed | undefined,
  ignore: Stack['spec']['ignore'],
): ResourceDrift {
  if (there === undefined) return { gone: true, fields: [] }
  const actual = kind.normalise(there.actual)
  const ordered = inActualOrder(actual, applied, kind.comparison?.anyOrder)
  const { fields } = compareIgnoring(actual, ordered, ignoredFieldsByFamily(ignore)(kind.family))
  return {
    gone: false,
    fields: fields.map(({ path, old, new: declared }) => ({
      path,
      ...(declared === undefined ? {} : { applied: declared }),
      ...(old === undefined ? {} : { actual: old }),
    })),
  }
}
