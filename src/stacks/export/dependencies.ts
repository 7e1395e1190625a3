// The dependencies of an exported resource: its labels, the resources that it refers to, and the variables of its
// queries. Pure.
import { variablesUsed } from '../../kinds/influxdb/influxdb.js'
import type { NameOf } from '../../model/kind.js'
import type { Problem } from '../../model/problem.js'
import { printable, quoted } from '../../lib/printable.js'
import { exportedLabels, type SelectedResource } from './selection.js'
import type { InventoryResource } from './inventory.js'

export interface DependencyOptions {
  readonly withVariables: boolean
  /** Gets a warning for each missing variable. */
  readonly problems: Problem[]
}

export function dependenciesOf(
  chosen: SelectedResource,
  { withVariables, problems }: DependencyOptions,
): readonly InventoryResource[] {
  const variables = withVariables ? usedVariables(chosen, problems) : []
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
  kind.declare?.(actual, note, identity)
  return needed
}

function usedVariables({ resource, inventory }: SelectedResource, problems: Problem[]): readonly InventoryResource[] {
  if (resource.family !== 'Dashboard' && resource.family !== 'Variable') return []
  return variablesUsed(resource.actual).flatMap((name) => {
    const variable = inventory.named('Variable', name)
    if (variable === undefined) problems.push(unknownVariable(name, resource))
    return variable ?? []
  })
}

function unknownVariable(name: string, { family, name: user }: InventoryResource): Problem {
  const use = `${printable(family)} ${quoted(user)} uses the variable ${quoted(name)}`
  const message = `${use}, which does not exist on its target.`
  return { severity: 'warning', code: 'stacks/export-variable-unknown', message }
}
