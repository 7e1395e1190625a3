import type { Address } from '../model/address.js'
import type { Edge } from '../model/resources/edge.js'
import type { Reference } from '../model/resources/kind.js'
import { mostShown, printable, shortened } from '../lib/text/printable.js'
import { fieldBelow, problemAt, type Place, type Problem } from '../model/problem.js'
import type { Steps } from '../lib/async/steps.js'
import type { Declarations, Declared } from './declared.js'

/**
 * Sets the edges of each resource, and reports references to itself or to undeclared resources. A reference to a
 * declared resource with errors is not a problem of its own.
 */
export function* checkReferences(declarations: Declarations): Steps<readonly Problem[]> {
  const problems: Problem[] = []
  for (const declared of declarations.all) {
    yield
    if (declared.spec === undefined) continue
    const named = new Map<Address, NamedNeed>()
    for (const reference of declared.needs) named.set(reference.to, { reference, why: 'declared' })
    // A reference of a field says more than `needs`, and wins.
    for (const reference of declared.kind.references(declared.spec))
      if (isNeeded(reference, declarations)) named.set(reference.to, { reference, why: 'reference' })
    for (const { reference } of named.values()) {
      const problem = referenceProblem(declared, reference, declarations)
      if (problem === undefined) continue
      problems.push(problem)
      declared.hasErrors = true
    }
    named.delete(declared.address)
    declared.edges = [...named.values()].map((need) => edgeOf(need, declared))
  }
  return problems
}

interface NamedNeed extends Pick<Edge, 'why'> {
  readonly reference: Reference
}

function edgeOf({ reference: { to, pointer }, why }: NamedNeed, { document }: Declared): Edge {
  return { to, why, text: fieldBelow('', pointer ?? document.place.pointer).slice(1) || 'spec' }
}

/** An optional reference counts only if the package declares its resource. */
function isNeeded({ to, optional }: Reference, { byAddress }: Declarations): boolean {
  return optional !== true || byAddress.has(to)
}

function referenceProblem(
  declared: Declared,
  { to, pointer, refuses }: Reference,
  { byAddress, isDeclared }: Declarations,
): Problem | undefined {
  const { address, partOf, document } = declared
  const subject = printable(partOf ?? address)
  const place = (): Place => (pointer === undefined ? document.place : document.locate(pointer))
  if (to === address)
    return problemAt('error', place(), { code: 'graph/self-reference', message: `${subject} refers to itself.` })
  const needed = byAddress.get(to)
  const refusal = needed && refuses?.(needed.kind.kind)
  if (refusal !== undefined) {
    const { pointer: where, message, ...finding } = refusal
    return problemAt('error', document.locate(where), { ...finding, message: `${subject}: ${message}.` })
  }
  if (needed !== undefined || to === partOf) return undefined
  const why = isDeclared(to) ? 'which has an invalid name' : 'which this package does not declare'
  const hint = 'Declare it in the package, or correct the name.'
  return problemAt('error', place(), {
    code: 'graph/undeclared',
    message: `${subject} needs ${printable(shortened(to, mostShown))}, ${why}.`,
    hint,
  })
}
