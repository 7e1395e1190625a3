import { randomBytes } from 'node:crypto'
import { Slices } from '../../lib/async/steps.js'
import type { Address, Identity } from '../../model/address.js'
import { Rejected, TargetConflict } from '../../model/errors.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Observed } from '../../model/resources/resource.js'
import type { Driver, ResourceLookup } from '../../platform/platform.js'
import type { DatedDocument, Documents, StoredDocument, Times, WriteResult } from '../../platform/documents.js'
import { readOnlyFields } from './read-only.js'
import type { Vault } from './vault.js'

/** The resources of one organisation. */
export interface EmbeddedSpace {
  readonly documents: Documents
  /** The organisation. */
  readonly space: string
  readonly vault: Vault
}

/**
 * One driver for all kinds: the state is stored as it is, except secrets. The trace is the chosen id, or the natural
 * identity of a label mapping or a secret.
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

  async read(lookups: readonly ResourceLookup[]): Promise<ReadonlyMap<Address, Observed>> {
    const slices = new Slices()
    const ids = lookups.flatMap(({ identity }) => (identity === undefined ? [] : [identity]))
    const byId = await this.#documents.byIds(this.#space, this.#kind.family, ids)
    const keys: string[] = []
    for (const { identity, key } of lookups) {
      const pause = slices.afterStep()
      if (pause !== undefined) await pause
      if (key !== undefined && (identity === undefined || !byId.has(identity))) keys.push(key)
    }
    const byKey = await this.#documents.byKeys(this.#space, this.#kind.family, keys)
    const documents = new Map<Address, DatedDocument>()
    for (const { address, identity, key } of lookups) {
      const pause = slices.afterStep()
      if (pause !== undefined) await pause
      const document =
        (identity === undefined ? undefined : byId.get(identity)) ?? (key === undefined ? undefined : byKey.get(key))
      if (document !== undefined) documents.set(address, document)
    }
    const observed = await this.#vault.observed(this.#kind.family, [...documents.values()])
    const found = new Map<Address, Observed>()
    for (const address of documents.keys()) {
      const pause = slices.afterStep()
      if (pause !== undefined) await pause
      found.set(address, observed[found.size]!)
    }
    return found
  }

  trace(state: JsonObject): Json {
    return { id: this.#naturalIdentity(state) ?? randomBytes(8).toString('hex') }
  }

  async find(trace: Json): Promise<Observed | undefined> {
    const { id } = trace as { id: string }
    const document = (await this.#documents.byIds(this.#space, this.#kind.family, [id])).get(id)
    return document && (await this.#vault.observed(this.#kind.family, [document]))[0]
  }

  async create(state: JsonObject, trace: Json): Promise<Observed> {
    const { id } = trace as { id: string }
    const actual = this.#vault.conceal(this.#kind.family, state)
    const document = this.#document(id, actual)
    this.#refuseReserved(document)
    const times = this.#check(await this.#documents.insert(this.#space, this.#kind.family, document), document)
    await this.#vault.keep(this.#kind.family, id, { state: actual })
    return { identity: id as Identity, actual, ...readOnlyFields(this.#kind.family, { id, ...times }) }
  }

  async update(now: Observed, state: JsonObject): Promise<Observed> {
    const actual = this.#vault.conceal(this.#kind.family, state)
    const document = this.#document(now.identity, actual)
    this.#refuseSystem(now, 'changed')
    this.#refuseReserved(document)
    const times = this.#check(await this.#documents.replace(this.#space, this.#kind.family, document), document)
    await this.#vault.keep(this.#kind.family, now.identity, { state: actual, before: now.actual })
    return { identity: now.identity, actual, ...readOnlyFields(this.#kind.family, { id: now.identity, ...times }) }
  }

  async remove(now: Observed): Promise<void> {
    this.#refuseSystem(now, 'removed')
    // Its own secrets first: if this ends halfway, the resource still exists, and an undo finds it.
    await this.#vault.discard(this.#kind.family, now.identity, now.actual)
    await this.#documents.remove(this.#space, this.#kind.family, now.identity)
  }

  /** The natural identity: of a label mapping its two ends, of a secret its key. */
  #naturalIdentity(state: JsonObject): string | undefined {
    return this.#kind.family === 'LabelMapping' || this.#kind.family === 'Secret'
      ? this.#kind.matching?.key(state)
      : undefined
  }

  #document(id: string, state: JsonObject): StoredDocument {
    const ends = this.#kind.family === 'LabelMapping' ? [state['resourceID'], state['labelID']] : []
    const links = ends.filter((end) => typeof end === 'string')
    return {
      id,
      key: this.#kind.matching?.key(state) ?? null,
      state: this.#vault.stored(this.#kind.family, id, state),
      links,
    }
  }

  #check(written: WriteResult, document: StoredDocument): Times {
    if ('createdAt' in written) return written
    const what = `${this.#kind.family} ${JSON.stringify(document.key ?? document.id)}`
    if ('taken' in written)
      throw new TargetConflict(`The target refused ${what}: another one already has that name (id ${written.taken}).`, {
        code: 'platform/name-taken',
        hint: 'Choose another name, or remove the other one.',
      })
    throw new Rejected(`The target refused ${what}: there is no resource with the id ${written.missing}.`, {
      code: 'platform/not-found',
      hint: 'It was removed meanwhile. The next sync makes a new plan.',
    })
  }

  #refuseReserved({ state }: StoredDocument): void {
    const { name } = state
    if (this.#kind.family === 'Bucket' && typeof name === 'string' && name.startsWith('_'))
      throw new Rejected(
        `The target refused Bucket ${JSON.stringify(name)}: names that begin with "_" belong to the system.`,
        {
          code: 'platform/system-bucket',
          hint: 'Choose a name that does not begin with "_".',
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
