// What an exported resource brings along: its labels, what it refers to, and the variables of its queries. Pure.
import { variablesUsed } from '../../kinds/influxdb/influxdb.js'
import type { NameOf } from '../../model/kind.js'
import type { Problem } from '../../model/problem.js'
import { printable, quoted } from '../../model/printable.js'
import { wantedLabels, type Chosen } from './choice.js'
import type { Thing } from './stock.js'

export interface CompanyOptions {
  readonly withVariables: boolean
  /** Told of variables that are not there. */
  readonly problems: Problem[]
}

export function companyOf(chosen: Chosen, { withVariables, problems }: CompanyOptions): readonly Thing[] {
  const variables = withVariables ? variablesOf(chosen, problems) : []
  return [...wantedLabels(chosen), ...neededBy(chosen), ...variables]
}

/** Whatever its declaration would name, such as the endpoint of a rule. */
function neededBy({ thing: { kind, held, identity }, stock }: Chosen): readonly Thing[] {
  const needed: Thing[] = []
  const note: NameOf = (family, named) => {
    const found = stock.thing(family, named)
    if (found !== undefined) needed.push(found)
    return found?.name
  }
  kind.declare?.(held, note, identity)
  return needed
}

function variablesOf({ thing, stock }: Chosen, problems: Problem[]): readonly Thing[] {
  if (thing.family !== 'Dashboard' && thing.family !== 'Variable') return []
  return variablesUsed(thing.held).flatMap((name) => {
    const variable = stock.named('Variable', name)
    if (variable === undefined) problems.push(unknownVariable(name, thing))
    return variable ?? []
  })
}

function unknownVariable(name: string, { family, name: user }: Thing): Problem {
  const message = `${printable(family)} ${quoted(user)} speaks of the variable ${quoted(name)}, which is not on its target.`
  return { severity: 'warning', code: 'stacks/export-variable-unknown', message }
}
