// Which resources the selectors of an export match. Pure.
import { Refused } from '../../model/errors.js'
import { printable, quoted } from '../../lib/text/printable.js'
import type { Problem } from '../../model/problem.js'
import type { Steps } from '../../lib/async/steps.js'
import type { TargetSelector, ResourceSelector } from './export-request.js'
import { kindsNamed, type Inventory, type InventoryResource } from './inventory.js'

export interface SelectedResource {
  readonly resource: InventoryResource
  readonly inventory: Inventory
  /** Only these of its labels are exported; absent: all. */
  readonly labels?: ReadonlySet<InventoryResource>
  /** In place of its own. */
  readonly displayName?: string
}

/** Collects the resources to export: each once, with all that any selector selects of it. */
export class ExportSelection {
  readonly problems: Problem[] = []
  readonly #chosen = new Map<string, SelectedResource>()

  get resources(): readonly SelectedResource[] {
    return [...this.#chosen.values()]
  }

  add(next: SelectedResource): void {
    const before = this.#chosen.get(next.resource.key)
    this.#chosen.set(next.resource.key, before === undefined ? next : merged(before, next))
  }

  /** Errors: `Refused` not-found, of an id or a name that no target has. */
  addResource(selector: ResourceSelector, inventories: readonly Inventory[]): void {
    const { kind, id, name } = selector
    const found = inventories.flatMap((inventory) =>
      matching(selector, inventory).map((resource) => ({ resource, inventory })),
    )
    for (const one of found) this.add(id === undefined || name === undefined ? one : { ...one, displayName: name })
    if (found.length > 0) return
    const which = id === undefined ? `named ${quoted(name ?? '')}` : `with the id ${quoted(id)}`
    throw new Refused('not-found', `There is no ${printable(kind)} ${which}.`, {
      code: 'resources/unknown',
      hint: 'List the resources: gitmoor resource list',
    })
  }

  /** A step for each resource. `managed`: keys of those that stacks manage. */
  *addTarget(selector: TargetSelector, inventory: Inventory, managed: ReadonlySet<string>): Steps<void> {
    const kinds = selector.kinds?.length
      ? new Set(selector.kinds.flatMap((name) => kindsNamed(inventory.platform, name)))
      : undefined
    const labels = this.#labelsNamed(selector, inventory)
    for (const resource of inventory.resources) {
      yield
      if (resource.ofSystem || kinds?.has(resource.kind) === false) continue
      if (selector.unmanaged === true && managed.has(resource.key)) continue
      if (labels === undefined) this.add({ resource, inventory })
      else if (labelsToMatch(resource, inventory).some((label) => labels.has(label)))
        this.add({ resource, inventory, labels })
    }
  }

  /**
   * Adds the dependencies of selected resources, and theirs in turn, with only the selected labels. A step for each.
   */
  *addDependencies(dependenciesOf: (chosen: SelectedResource) => readonly InventoryResource[]): Steps<void> {
    for (const chosen of this.#chosen.values()) {
      yield
      const { inventory, labels } = chosen
      for (const resource of dependenciesOf(chosen))
        if (!this.#chosen.has(resource.key))
          this.#chosen.set(resource.key, { resource, inventory, ...(labels && { labels }) })
    }
  }

  #labelsNamed(
    { labels: names, target }: TargetSelector,
    inventory: Inventory,
  ): ReadonlySet<InventoryResource> | undefined {
    if (names === undefined || names.length === 0) return undefined
    const found = names.map((name) => ({ name, label: inventory.label(name) }))
    for (const { name, label } of found) if (label === undefined) this.problems.push(unknownLabel(name, target))
    return new Set(found.flatMap(({ label }) => label ?? []))
  }
}

/** The labels that are exported with it. */
export function exportedLabels({ resource, inventory, labels }: SelectedResource): readonly InventoryResource[] {
  const all = inventory.labelsOf(resource)
  return labels === undefined ? all : all.filter((label) => labels.has(label))
}

/** The labels that a filter compares. A label matches itself. */
function labelsToMatch(resource: InventoryResource, inventory: Inventory): readonly InventoryResource[] {
  return resource.family === inventory.platform.labelling?.family ? [resource] : inventory.labelsOf(resource)
}

function merged(before: SelectedResource, next: SelectedResource): SelectedResource {
  const { resource, inventory } = next
  const displayName = next.displayName ?? before.displayName
  const labels = before.labels && next.labels && new Set([...before.labels, ...next.labels])
  return { resource, inventory, ...(labels && { labels }), ...(displayName === undefined ? {} : { displayName }) }
}

/** By id, any kind of the family matches. Resources of the target itself match only by id. */
function matching({ kind, id, name }: ResourceSelector, inventory: Inventory): readonly InventoryResource[] {
  const families = new Set(kindsNamed(inventory.platform, kind).map(({ family }) => family))
  if (id !== undefined) return [...families].flatMap((family) => inventory.resource(family, id) ?? [])
  return inventory.resources.filter((one) => one.name === name && families.has(one.family) && !one.ofSystem)
}

function unknownLabel(name: string, target: string): Problem {
  const message = `There is no label ${quoted(name)} on target ${target}; it matches no resource.`
  return {
    severity: 'warning',
    code: 'stacks/export-label-unknown',
    message,
    hint: 'List the resources: gitmoor resource list',
  }
}
