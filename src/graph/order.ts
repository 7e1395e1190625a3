import type { Address } from '../model/address.js'
import { printable } from '../lib/text/printable.js'
import { edgeTargets } from '../model/resources/edge.js'
import { problemAt, type Problem } from '../model/problem.js'
import type { Steps } from '../lib/async/steps.js'
import type { Declarations, Declared } from './declared.js'

export interface Ordered {
  /** Sorted: each after what it needs, otherwise as declared. Without errors, cycles, and what needs them. */
  readonly ordered: readonly Declared[]
  readonly problems: readonly Problem[]
}

/** Cycles that are reported, and names of each that are listed. */
const mostReports = 100
const mostNames = 20

interface Step {
  readonly declared: Declared
  readonly needs: readonly Address[]
  next: number
}

/** Visits every reference once, to any depth. */
export function* orderByNeeds({ all, byAddress }: Declarations): Steps<Ordered> {
  const walk = new Walk(byAddress)
  for (const declared of all) {
    yield
    walk.from(declared)
  }
  return walk
}

class Walk implements Ordered {
  readonly ordered: Declared[] = []
  readonly problems: Problem[] = []
  readonly #byAddress: ReadonlyMap<Address, Declared>
  readonly #entered = new Set<Declared>()
  readonly #left = new Set<Declared>()
  readonly #usable = new Set<Declared>()
  readonly #reported = new Set<Declared>()
  readonly #path: Step[] = []

  constructor(byAddress: ReadonlyMap<Address, Declared>) {
    this.#byAddress = byAddress
  }

  from(declared: Declared): void {
    this.#enter(declared)
    for (let step = this.#path.at(-1); step !== undefined; step = this.#path.at(-1)) {
      const address = step.needs[step.next++]
      if (address === undefined) this.#leave()
      else this.#follow(this.#byAddress.get(address))
    }
  }

  #follow(needed: Declared | undefined): void {
    if (needed === undefined || this.#left.has(needed)) return
    if (this.#entered.has(needed)) this.#cycle(needed)
    else this.#enter(needed)
  }

  #enter(declared: Declared): void {
    if (this.#entered.has(declared)) return
    this.#entered.add(declared)
    this.#path.push({ declared, needs: allNeeds(declared), next: 0 })
  }

  #leave(): void {
    const { declared, needs } = this.#path.pop()!
    this.#left.add(declared)
    if (declared.hasErrors || !needs.every((address) => this.#isUsable(address))) return
    this.#usable.add(declared)
    this.ordered.push(declared)
  }

  #isUsable(address: Address): boolean {
    const needed = this.#byAddress.get(address)
    return needed !== undefined && this.#usable.has(needed)
  }

  /** Each resource is in at most one reported cycle. Resources of a cycle are not usable. */
  #cycle(first: Declared): void {
    const last = this.#path.at(-1)!.declared
    if (this.#reported.has(first) || this.#reported.has(last) || this.problems.length >= mostReports) return
    const start = this.#path.findLastIndex(({ declared }) => declared === first)
    const cycle = this.#path.slice(start).map(({ declared }) => declared)
    for (const declared of cycle) this.#reported.add(declared)
    const [name, ...others] = cycleNames([...cycle, first])
    const message = `${name} needs ${others.join(', which needs ')}.`
    this.problems.push(
      problemAt('error', first.document.place, {
        code: 'graph/cycle',
        message,
        hint: 'Remove one of these references.',
      }),
    )
  }
}

/** A long cycle is shortened in the middle. */
function cycleNames(cycle: readonly Declared[]): readonly string[] {
  const names = cycle.map(({ address }) => printable(address))
  const left = names.length - mostNames
  return left > 0 ? [...names.slice(0, mostNames / 2), `… (${left} more)`, ...names.slice(-mostNames / 2)] : names
}

/** A part needs its parent. */
function allNeeds({ edges, partOf }: Declared): readonly Address[] {
  const needs = edgeTargets(edges)
  return partOf === undefined || needs.includes(partOf) ? needs : [partOf, ...needs]
}
