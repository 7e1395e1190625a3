// The metaNames of exported resources: those that a stack gave them, else generated from the id of the resource. Pure.
import { compareText } from '../../lib/text/compare-text.js'
import type { Steps } from '../../lib/async/steps.js'
import type { InventoryResource } from './inventory.js'
import { createHash } from 'node:crypto'

/** The name that a stack gave to a resource. `own`: the exported stack did; its names take precedence. */
export interface OwnedName {
  readonly name: string
  readonly own: boolean
  readonly stack: string
}

/**
 * The name of each resource, by its key. Given names are unique in their family, generated ones among all. The order of
 * `resources` does not matter. Yields after each resource.
 */
export function* nameResources(
  resources: readonly InventoryResource[],
  owned: ReadonlyMap<string, OwnedName>,
): Steps<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { resource, name } of yield* byPrecedence(resources, owned)) {
    yield
    if (taken.has(`${resource.family}/${name}`)) continue
    taken.add(`${resource.family}/${name}`)
    names.set(resource.key, name)
  }
  const all = new Set(names.values())
  for (const resource of [...resources].sort(byKey)) {
    yield
    if (names.has(resource.key)) continue
    const name = freeName(resource, all)
    all.add(name)
    names.set(resource.key, name)
  }
  return names
}

/** Resources with a given name. If two stacks use a name, the first resource keeps it. */
function* byPrecedence(
  resources: readonly InventoryResource[],
  owned: ReadonlyMap<string, OwnedName>,
): Steps<readonly { resource: InventoryResource; name: string }[]> {
  const known: (OwnedName & { readonly resource: InventoryResource })[] = []
  for (const resource of resources) {
    yield
    const one = owned.get(resource.key)
    if (one !== undefined) known.push({ resource, ...one })
  }
  return known.sort(
    (a, b) => Number(b.own) - Number(a.own) || compareText(a.stack, b.stack) || byKey(a.resource, b.resource),
  )
}

function byKey(a: InventoryResource, b: InventoryResource): number {
  return compareText(a.key, b.key)
}

/** A name that no other resource has taken. The same resource gets the same name each time. */
export function freeName(
  { family, identity }: { readonly family: string; readonly identity: string },
  taken: ReadonlySet<string>,
): string {
  let name = generatedName(identity)
  for (let turn = 1; taken.has(name); turn++) name = generatedName(`${family}/${identity}/${turn}`)
  return name
}

const adjectives =
  `able agile amber apt azure blithe bold brave brisk calm civil clear clever cosy crisp deft dulcet eager early even
  fair fleet fond frank gentle glad golden grand hale hardy honest humble ideal jolly keen kind lithe lively lucid
  mellow merry mild modest neat nimble noble patient placid plain prime proud quick quiet ready robust serene silver
  sober spry steady stout sunny tidal wise`.split(/\s+/)

const surnames =
  `abel ampere babbage banach bohr boole born bose brahe cantor cauchy celsius curie darwin dirac drake edison euler
  faraday fermat fermi fresnel galilei gauss germain hahn halley heaviside hertz hilbert hooke hopper hubble huygens
  joule kelvin kepler kovalev lagrange laplace leibniz linnaeus lovelace mach markov maxwell meitner mendel napier
  newton noether ohm pascal pasteur planck poisson raman riemann rutherford tesla turing volta watt weber`.split(/\s+/)

/**
 * `<adjective>-<surname>-<6 hex digits>`, a DNS label, always the same for the same id. Two ids rarely share a name; a
 * caller that needs distinct names calls again with a suffix on the id.
 */
export function generatedName(id: string): string {
  const digest = createHash('sha256').update(id).digest()
  const adjective = adjectives[digest[0]! % adjectives.length]!
  const surname = surnames[digest[1]! % surnames.length]!
  return `${adjective}-${surname}-${digest.toString('hex', 2, 5)}`
}
