// Compares one resource on its target with what was applied.
import { abortAfter } from '../../lib/async/abort-after.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Observed, Owned } from '../../model/resources/resource.js'
import type { Stack } from '../../model/stacks/stack.js'
import { inActualOrder } from '../../plan/any-order.js'
import { compareIgnoring, ignoredFieldsByFamily } from '../../plan/ignored.js'
import { callDriver } from '../../platform/call-driver.js'
import type { ResourceLookup } from '../../platform/platform.js'
import type { ResourceDrift } from '../../views/explanation.js'
import type { Context } from '../context.js'
import { kindsByName } from '../targets.js'

/** An explanation does not wait longer for a target. */
const readMs = 5_000

/** How a resource of the stack differs on its target, without ignored fields. undefined: the target was not read. */
export async function resourceDrift(
  { sync }: Context,
  { spec }: Stack,
  owned: Owned,
  signal: AbortSignal | undefined,
): Promise<ResourceDrift | undefined> {
  const soon = abortAfter(readMs, signal)
  try {
    return await sync.targets.reach(spec.target, { stack: spec.name }, soon, async (reached) => {
      const { connection, calling, platform } = reached
      const kind = kindsByName(platform)(owned.kind, owned.address)
      if (kind === undefined) return undefined
      const driver = connection.driver(kind)
      const lookups = [lookup(owned, kind)]
      const read = await callDriver(`read ${owned.address}`, calling, (inner) => driver.read(lookups, inner), soon)
      return difference(owned, kind, read.get(owned.address), spec.ignore)
    })
  } catch {
    signal?.throwIfAborted()
    return undefined
  }
}

/** A shared resource is found by its key: its owner may have created it again. */
function lookup({ address, identity, shared, applied }: Owned, { matching }: Kind): ResourceLookup {
  const key = shared === true ? matching?.key(applied) : undefined
  return key === undefined ? { address, identity } : { address, key }
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
