// What is there and whose it is, with ids replaced by addresses, so that two ways to the same end can be compared.
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { organisation, stackName } from './world.js'

export interface Picture {
  /**
   * Everything on the target but the system's own, ids as the addresses that own them. What nobody owns keeps its id.
   */
  readonly things: readonly string[]
  readonly owned: readonly string[]
  /** By id: whose it is. */
  readonly ids: ReadonlyMap<string, string>
}

export async function takePicture(store: SqliteStore): Promise<Picture> {
  const stack = await store.stacks.get(stackName)
  const owned = stack === undefined ? new Map<string, never>() : await store.ownership.of(stack.id)
  const everything = await store.documents.list(organisation, { limit: 500 })
  const documents = everything.filter(({ state }) => state['description'] !== 'System bucket')
  const addresses = new Map([...owned.values()].map(({ identity, address }) => [identity as string, address as string]))
  const named = (value: unknown): string =>
    JSON.stringify(value).replaceAll(/[0-9a-f]{16}/g, (id) => (addresses.has(id) ? `<${addresses.get(id)}>` : id))
  return {
    things: documents.map(({ family, id, state }) => named({ family, id, held: state })).toSorted(),
    owned: [...owned.values()].map((record) => named(record)).toSorted(),
    ids: new Map(documents.map(({ family, id }) => [`${family}/${id}`, addresses.get(id) ?? 'nobody'])),
  }
}

/** How the second differs from the first, in words; empty: not at all. */
export function differences(expected: Picture, found: Picture): readonly string[] {
  return [...listed('on the target', expected.things, found.things), ...listed('owned', expected.owned, found.owned)]
}

function listed(where: string, expected: readonly string[], found: readonly string[]): readonly string[] {
  const missing = expected.filter((one) => !found.includes(one)).map((one) => `not ${where}: ${one}`)
  const extra = found.filter((one) => !expected.includes(one)).map((one) => `${where}, but should not be: ${one}`)
  const count = expected.length === found.length ? [] : [`${found.length} ${where} in place of ${expected.length}`]
  return [...missing, ...extra, ...count]
}

/**
 * What was there before and is there in the end, where nothing went wrong, is the same thing in the end where something
 * did.
 */
export function changedIds(before: Picture, expected: Picture, found: Picture): readonly string[] {
  return [...before.ids.keys()]
    .filter((id) => expected.ids.has(id) && !id.startsWith('LabelMapping/'))
    .filter((id) => found.ids.get(id) !== expected.ids.get(id))
    .map((id) => `${expected.ids.get(id)} was ${id} and is not any more`)
}

/** Things that nobody owns, and records that lead nowhere. */
export function astray({ things, owned, ids }: Picture): readonly string[] {
  const orphans = [...ids].filter(([, owner]) => owner === 'nobody').map(([id]) => `nobody owns ${id}`)
  const lost = owned.filter((record) => !things.some((thing) => thing.includes(identityIn(record))))
  return [...orphans, ...lost.map((record) => `leads nowhere: ${record}`)]
}

function identityIn(record: string): string {
  return /"identity":("[^"]*")/.exec(record)![1]!
}
