import { printable } from '../../lib/text/printable.js'
import type { TargetResource } from '../../views/resource.js'
import { facts, table } from './table.js'
import type { Display } from './text.js'

export function resourceListLines(resources: readonly TargetResource[], display: Display): readonly string[] {
  if (resources.length === 0) return ['No resources.']
  const rows = resources.map((one) =>
    [`${one.family}/${one.id}`, one.displayName, one.address ?? '-', one.stack ?? '-', one.target].map(printable),
  )
  return table(['FAMILY/ID', { heading: 'NAME', fit: 'cut' }, 'ADDRESS', 'STACK', 'TARGET'], rows, display)
}

/** The owner and identity of a resource; its state is printed below. */
export function resourceLines(one: TargetResource, display: Display): readonly string[] {
  return facts(
    [
      ['family', printable(one.family)],
      ['id', printable(one.id)],
      ['name', printable(one.displayName)],
      ['target', printable(one.target)],
      ['stack', printable(one.stack ?? '')],
      ['address', printable(one.address ?? '')],
    ],
    display,
  )
}
