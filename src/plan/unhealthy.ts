// The resources of a stack that do not work, from a read that a plan or a drift check made anyway.
import type { Steps } from '../lib/async/steps.js'
import { compareText } from '../lib/text/compare-text.js'
import { showText } from '../lib/text/printable.js'
import type { Address } from '../model/address.js'
import type { Kind, KindNamed } from '../model/resources/kind.js'
import type { Observed } from '../model/resources/resource.js'
import type { Unhealthy, UnhealthyResource } from '../model/stacks/stack.js'

/** A status names so many. */
const mostNamed = 5
/** Characters that are shown, and that are read. */
const mostReason = 300
const mostRead = 2_000

/** null: none is. What fails comes before what is idle. A step for each resource. `kind`: its name. */
export function* findUnhealthy(
  resources: Iterable<{ readonly address: Address; readonly kind: string }>,
  { observed, kindNamed }: { readonly observed: ReadonlyMap<Address, Observed>; readonly kindNamed: KindNamed },
): Steps<Unhealthy | null> {
  const failing: UnhealthyResource[] = []
  const idle: UnhealthyResource[] = []
  for (const { address, kind: name } of resources) {
    yield
    const kind = kindNamed(name, address)
    const reason = whyUnhealthy(kind, observed.get(address))
    if (reason !== undefined) (kind?.health?.isIdle === true ? idle : failing).push({ address, reason })
  }
  const count = failing.length + idle.length
  if (count === 0) return null
  return { count, first: [...failing.sort(byAddress), ...idle.sort(byAddress)].slice(0, mostNamed) }
}

function byAddress(a: UnhealthyResource, b: UnhealthyResource): number {
  return compareText(a.address, b.address)
}

/** Why a resource does not work, printable and short; undefined: it works, does not exist, or nobody says. */
export function whyUnhealthy(kind: Kind | undefined, there: Observed | undefined): string | undefined {
  const reason = there === undefined ? undefined : kind?.health?.unhealthy(there)
  return reason === undefined ? undefined : shortReason(reason)
}

/** On one line, and cut between words: nobody would recognize, and remove, half a secret. */
function shortReason(reason: string): string {
  const text = showText(reason.slice(0, mostRead), mostRead)
  if (text.length <= mostReason) return text
  return `${text.slice(0, mostReason).replace(/\S*$/, '').trimEnd()} …`
}
