// All resources and their owners, with ids replaced by addresses, so that two runs can be compared.
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { plain } from '../plain/under-test.js'
import { space, stackNames } from './world.js'

export interface Picture {
  /**
   * All resources on the target except system ones. Ids are replaced by addresses; those without an owner stay.
   */
  readonly resources: readonly string[]
  readonly owned: readonly string[]
  /** The owner by id. */
  readonly ids: ReadonlyMap<string, string>
}

export async function takePicture(store: SqliteStore, on = plain): Promise<Picture> {
  const stacks = (await Promise.all(stackNames.map((name) => store.stacks.get(name)))).filter(
    (one) => one !== undefined,
  )
  const owned = (await Promise.all(stacks.map(({ id }) => store.ownership.of(id)))).flatMap((of) => [...of.values()])
  const everything = (await on.resources?.(store.documents)) ?? (await store.documents.list(space, { limit: 500 }))
  const documents = everything.filter(({ state }) => state['description'] !== 'System bucket')
  const addresses = new Map(owned.map(({ identity, address }) => [identity as string, address as string]))
  const { finished = (text: string) => text } = on
  const named = (value: unknown): string =>
    finished(JSON.stringify(value)).replaceAll(/[0-9a-f]{16}/g, (id) =>
      addresses.has(id) ? `<${addresses.get(id)}>` : id,
    )
  return {
    resources: documents.map(({ family, id, state }) => named({ family, id, held: state })).toSorted(),
    owned: owned.map((one) => named(one)).toSorted(),
    ids: new Map(documents.map(({ family, id }) => [`${family}/${id}`, addresses.get(id) ?? 'nobody'])),
  }
}

/** The differences of the second from the first, as sentences. */
export function differences(expected: Picture, found: Picture): readonly string[] {
  return [
    ...listed('on the target', expected.resources, found.resources),
    ...listed('owned', expected.owned, found.owned),
  ]
}

function listed(where: string, expected: readonly string[], found: readonly string[]): readonly string[] {
  const missing = expected.filter((one) => !found.includes(one)).map((one) => `not ${where}: ${one}`)
  const extra = found.filter((one) => !expected.includes(one)).map((one) => `${where}, but should not be: ${one}`)
  const count = expected.length === found.length ? [] : [`${found.length} ${where} in place of ${expected.length}`]
  return [...missing, ...extra, ...count]
}

/** Two pictures of one target. */
export interface Turn {
  readonly before: Picture
  readonly after: Picture
}

/** Resources whose id changed, although an undisturbed run keeps it. The ids of the two targets may differ. */
export function changedIds(undisturbed: Turn, { before, after }: Turn): readonly string[] {
  const kept = new Map(
    [...undisturbed.before.ids].flatMap(([id, owner]) => {
      const now = undisturbed.after.ids.get(id)
      return now === undefined ? [] : [[owner, now] as const]
    }),
  )
  return [...before.ids]
    .filter(
      ([id, owner]) => !id.startsWith('LabelMapping/') && kept.has(owner) && after.ids.get(id) !== kept.get(owner),
    )
    .map(([id, owner]) => `${kept.get(owner)} was ${id}, and is no longer`)
}

/** Resources without an owner, and ownership of missing resources. */
export function astray({ resources, owned, ids }: Picture): readonly string[] {
  const orphans = [...ids].filter(([, owner]) => owner === 'nobody').map(([id]) => `nobody owns ${id}`)
  const lost = owned.filter((one) => !resources.some((resource) => resource.includes(identityIn(one))))
  return [...orphans, ...lost.map((one) => `owns a missing resource: ${one}`)]
}

function identityIn(one: string): string {
  return /"identity":("[^"]*")/.exec(one)![1]!
}
