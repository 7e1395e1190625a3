import { printable } from '../../lib/printable.js'
import type { TargetResource } from '../../views/resource.js'
import type { Display } from './text.js'
import { facts, table } from './table.js'

export function resourceListLines(resources: readonly TargetResource[], look: Display): readonly string[] {
  if (resources.length === 0) return ['Nothing is there.']
  const rows = resources.map((one) =>
    [`${one.family}/${one.id}`, one.displayName, one.address ?? '-', one.stack ?? '-', one.target].map(printable),
  )
  return table(['FAMILY/ID', 'NAME', 'ADDRESS', 'STACK', 'TARGET'], rows, look.style)
}

/** Whose it is; what it holds is printed below. */
export function resourceLines(one: TargetResource, look: Display): readonly string[] {
  return facts(
    [
      ['family', printable(one.family)],
      ['id', printable(one.id)],
      ['name', printable(one.displayName)],
      ['target', printable(one.target)],
      ['stack', printable(one.stack ?? '')],
      ['address', printable(one.address ?? '')],
    ],
    look.style,
  )
}
