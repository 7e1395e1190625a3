// The dependencies of an exported resource: its labels, the resources that it refers to, and those that it names, such
// as variables of queries. Pure.
import type { NamedResource, NameOf } from '../../model/resources/kind.js'
import type { Problem } from '../../model/problem.js'
import { printable, quoted } from '../../lib/text/printable.js'
import { exportedLabels, type SelectedResource } from './selection.js'
import type { InventoryResource } from './inventory.js'

export interface DependencyOptions {
  readonly withVariables: boolean
  /** Gets a warning for each resource that does not exist. */
  readonly problems: Problem[]
}

export function dependenciesOf(
  chosen: SelectedResource,
  { withVariables, problems }: DependencyOptions,
): readonly InventoryResource[] {
  const variables = withVariables ? namedResources(chosen, problems) : []
  return [...exportedLabels(chosen), ...neededBy(chosen), ...variables]
}

/** Resources that its declaration refers to, such as the endpoint of a rule. */
function neededBy({ resource: { kind, actual, identity }, inventory }: SelectedResource): readonly InventoryResource[] {
  const needed: InventoryResource[] = []
  const note: NameOf = (family, named) => {
    const found = inventory.resource(family, named)
    if (found !== undefined) needed.push(found)
    return found?.name
  }
  kind.authored?.declare(actual, note, identity)
  return needed
}

function namedResources({ resource, inventory }: SelectedResource, problems: Problem[]): readonly InventoryResource[] {
  return (resource.kind.authored?.uses?.(resource.actual) ?? []).flatMap((named) => {
    const found = inventory.named(named.family, named.name)
    if (found === undefined) problems.push(unknownResource(named, resource))
    return found ?? []
  })
}

function unknownResource(named: NamedResource, { family, name: user }: InventoryResource): Problem {
  const use = `${printable(family)} ${quoted(user)} uses the ${named.family.toLowerCase()} ${quoted(named.name)}`
  const message = `${use}, which does not exist on its target.`
  return { severity: 'warning', code: 'stacks/export-variable-unknown', message }
}
