import { randomBytes } from 'node:crypto'
import type { Address, Identity } from '../../model/address.js'
import { Rejected } from '../../model/errors.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import type { Observed } from '../../model/resource.js'
import type { Driver, ResourceLookup } from '../platform.js'
import type { DatedDocument, Documents, StoredDocument, Times, WriteResult } from './documents.js'
import { readOnlyFields } from './read-only.js'
import type { Vault } from './vault.js'

/** What one organisation holds. */
export interface EmbeddedSpace {
  readonly documents: Documents
  /** The organisation. */
  readonly space: string
  readonly vault: Vault
}

/**
 * One driver for all kinds: what is held is what is stored, but for secrets. The trace is the id that is chosen; of a
 * label mapping and of a secret it is its nature.
 */
export class EmbeddedDriver implements Driver {
  readonly #documents: Documents
  readonly #space: string
  readonly #kind: Kind
  readonly #vault: Vault

  constructor({ documents, space, vault }: EmbeddedSpace, kind: Kind) {
    this.#documents = documents
    this.#space = space
    this.#kind = kind
    this.#vault = vault
  }

  async read(wanted: readonly ResourceLookup[]): Promise<ReadonlyMap<Address, Observed>> {
    const ids = wanted.flatMap(({ identity }) => (identity === undefined ? [] : [identity]))
    const byId = await this.#documents.byIds(this.#space, this.#kind.family, ids)
    const rest = wanted.filter(
      ({ identity, key }) => key !== undefined && (identity === undefined || !byId.has(identity)),
    )
    const byKey = await this.#documents.byKeys(
      this.#space,
      this.#kind.family,
      rest.map(({ key }) => key!),
    )
    const documents = new Map<Address, DatedDocument>()
    for (const { address, identity, key } of wanted) {
      const document =
        (identity === undefined ? undefined : byId.get(identity)) ?? (key === undefined ? undefined : byKey.get(key))
      if (document !== undefined) documents.set(address, document)
    }
    const observed = await this.#vault.observed(this.#kind.family, [...documents.values()])
    return new Map([...documents.keys()].map((address, i) => [address, observed[i]!]))
  }

  trace(held: JsonObject): Json {
    return { id: this.#natural(held) ?? randomBytes(8).toString('hex') }
  }

  async find(trace: Json): Promise<Observed | undefined> {
    const { id } = trace as { id: string }
    const document = (await this.#documents.byIds(this.#space, this.#kind.family, [id])).get(id)
    return document && (await this.#vault.observed(this.#kind.family, [document]))[0]
  }

  async create(held: JsonObject, trace: Json): Promise<Observed> {
    const { id } = trace as { id: string }
    const actual = this.#vault.conceal(this.#kind.family, held)
    const document = this.#document(id, actual)
    this.#refuseReserved(document)
    const times = this.#check(await this.#documents.insert(this.#space, this.#kind.family, document), document)
    await this.#vault.keep(this.#kind.family, id, { held: actual })
    return { identity: id as Identity, actual, ...readOnlyFields(this.#kind.family, { id, ...times }) }
  }

  async update(now: Observed, held: JsonObject): Promise<Observed> {
    const actual = this.#vault.conceal(this.#kind.family, held)
    const document = this.#document(now.identity, actual)
    this.#refuseSystem(now, 'changed')
    this.#refuseReserved(document)
    const times = this.#check(await this.#documents.replace(this.#space, this.#kind.family, document), document)
    await this.#vault.keep(this.#kind.family, now.identity, { held: actual, before: now.actual })
    return { identity: now.identity, actual, ...readOnlyFields(this.#kind.family, { id: now.identity, ...times }) }
  }

  async remove(now: Observed): Promise<void> {
    this.#refuseSystem(now, 'removed')
    // Its own secrets first: where this ends halfway it is still there, and an undo finds it.
    await this.#vault.discard(this.#kind.family, now.identity, now.actual)
    await this.#documents.remove(this.#space, this.#kind.family, now.identity)
  }

  /** The identity that a thing has by what it is: a label mapping is its two ends, a secret its key. */
  #natural(held: JsonObject): string | undefined {
    return this.#kind.family === 'LabelMapping' || this.#kind.family === 'Secret' ? this.#kind.key?.(held) : undefined
  }

  #document(id: string, held: JsonObject): StoredDocument {
    const ends = this.#kind.family === 'LabelMapping' ? [held['resourceID'], held['labelID']] : []
    const links = ends.filter((end) => typeof end === 'string')
    return { id, key: this.#kind.key?.(held) ?? null, state: this.#vault.stored(this.#kind.family, id, held), links }
  }

  #check(written: WriteResult, document: StoredDocument): Times {
    if ('createdAt' in written) return written
    const what = `${this.#kind.family} ${JSON.stringify(document.key ?? document.id)}`
    if ('taken' in written)
      throw new Rejected(
        `The target refused ${what}: that name belongs to another one already (id ${written.taken}).`,
        {
          code: 'platform/name-taken',
          hint: 'Choose another name, or remove the other one.',
        },
      )
    throw new Rejected(`The target refused ${what}: there is nothing with the id ${written.missing}.`, {
      code: 'platform/not-found',
      hint: 'It was removed meanwhile; the next sync looks again.',
    })
  }

  #refuseReserved({ state }: StoredDocument): void {
    const { name } = state
    if (this.#kind.family === 'Bucket' && typeof name === 'string' && name.startsWith('_'))
      throw new Rejected(
        `The target refused Bucket ${JSON.stringify(name)}: names that begin with '_' belong to the system.`,
        {
          code: 'platform/system-bucket',
          hint: "Choose a name that does not begin with '_'.",
        },
      )
  }

  #refuseSystem({ actual }: Observed, verb: string): void {
    const { name } = actual
    if (this.#kind.family === 'Bucket' && typeof name === 'string' && name.startsWith('_'))
      throw new Rejected(`Bucket ${JSON.stringify(name)} belongs to the system and cannot be ${verb}.`, {
        code: 'platform/system-bucket',
      })
  }
}
