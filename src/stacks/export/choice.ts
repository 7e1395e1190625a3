// Which resources the selectors of an export match. Pure.
import { Refused } from '../../model/errors.js'
import { printable, quoted } from '../../model/printable.js'
import type { Problem } from '../../model/problem.js'
import type { Steps } from '../../model/turns.js'
import type { WantedTarget, WantedThing } from './export-request.js'
import { kindsNamed, type Stock, type Thing } from './stock.js'

export interface Chosen {
  readonly thing: Thing
  readonly stock: Stock
  /** Only these of its labels go with it; absent: all. */
  readonly labels?: ReadonlySet<Thing>
  /** In place of its own. */
  readonly displayName?: string
}

/** Collects what is exported: each thing once, with the most that any selector wants of it. */
export class Choice {
  readonly problems: Problem[] = []
  readonly #chosen = new Map<string, Chosen>()

  get chosen(): readonly Chosen[] {
    return [...this.#chosen.values()]
  }

  add(next: Chosen): void {
    const before = this.#chosen.get(next.thing.key)
    this.#chosen.set(next.thing.key, before === undefined ? next : merged(before, next))
  }

  /** Errors: `Refused` not-found, of an id or a name that no target has. */
  addWanted(wanted: WantedThing, stocks: readonly Stock[]): void {
    const { kind, id, name } = wanted
    const found = stocks.flatMap((stock) => meant(wanted, stock).map((thing) => ({ thing, stock })))
    for (const one of found) this.add(id === undefined || name === undefined ? one : { ...one, displayName: name })
    if (found.length > 0) return
    const which = id === undefined ? `named ${quoted(name ?? '')}` : `with the id ${quoted(id)}`
    throw new Refused('not-found', `There is no ${printable(kind)} ${which}.`, {
      hint: 'See what is there: gitmoor resource list',
    })
  }

  /** A step for each thing. */
  *addTarget(wanted: WantedTarget, stock: Stock): Steps<void> {
    const kinds = wanted.kinds?.length
      ? new Set(wanted.kinds.flatMap((name) => kindsNamed(stock.platform, name)))
      : undefined
    const labels = this.#labelsNamed(wanted, stock)
    for (const thing of stock.things) {
      yield
      if (thing.ofSystem || kinds?.has(thing.kind) === false) continue
      if (labels === undefined) this.add({ thing, stock })
      else if (labelsToMatch(thing, stock).some((label) => labels.has(label))) this.add({ thing, stock, labels })
    }
  }

  /**
   * What comes along with what is chosen, and with that in turn; of its labels, too, only those that are wanted.
   * A step for each.
   */
  *addCompany(companyOf: (chosen: Chosen) => readonly Thing[]): Steps<void> {
    for (const chosen of this.#chosen.values()) {
      yield
      const { stock, labels } = chosen
      for (const thing of companyOf(chosen))
        if (!this.#chosen.has(thing.key)) this.#chosen.set(thing.key, { thing, stock, ...(labels && { labels }) })
    }
  }

  #labelsNamed({ labels: names, target }: WantedTarget, stock: Stock): ReadonlySet<Thing> | undefined {
    if (names === undefined || names.length === 0) return undefined
    const found = names.map((name) => ({ name, label: stock.named('Label', name) }))
    for (const { name, label } of found) if (label === undefined) this.problems.push(unknownLabel(name, target))
    return new Set(found.flatMap(({ label }) => label ?? []))
  }
}

/** The labels that go with it. */
export function wantedLabels({ thing, stock, labels }: Chosen): readonly Thing[] {
  const all = stock.labelsOf(thing)
  return labels === undefined ? all : all.filter((label) => labels.has(label))
}

/** The labels that decide whether a filter lets it through; a label is its own. */
function labelsToMatch(thing: Thing, stock: Stock): readonly Thing[] {
  return thing.family === 'Label' ? [thing] : stock.labelsOf(thing)
}

function merged(before: Chosen, next: Chosen): Chosen {
  const { thing, stock } = next
  const displayName = next.displayName ?? before.displayName
  const labels = before.labels && next.labels && new Set([...before.labels, ...next.labels])
  return { thing, stock, ...(labels && { labels }), ...(displayName === undefined ? {} : { displayName }) }
}

/** By id whatever its kind in the family; a system's own things only so. */
function meant({ kind, id, name }: WantedThing, stock: Stock): readonly Thing[] {
  const families = new Set(kindsNamed(stock.platform, kind).map(({ family }) => family))
  if (id !== undefined) return [...families].flatMap((family) => stock.thing(family, id) ?? [])
  return stock.things.filter((thing) => thing.name === name && families.has(thing.family) && !thing.ofSystem)
}

function unknownLabel(name: string, target: string): Problem {
  const message = `There is no label ${quoted(name)} on target ${target}; nothing is chosen by it.`
  return {
    severity: 'warning',
    code: 'stacks/export-label-unknown',
    message,
    hint: 'See which there are: gitmoor resource list',
  }
}
