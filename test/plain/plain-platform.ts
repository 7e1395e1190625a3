// The platform of plain-kinds.ts. It keeps resources in the database of the agent, where a restart finds them, and
// secrets sealed. Names are unique where a kind says so; system buckets are read-only.
import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Address, Identity } from '../../src/model/address.js'
import type { Document, EnvValues } from '../../src/model/resources/document.js'
import { Rejected, TargetConflict, Unavailable } from '../../src/model/errors.js'
import { isObject, Secret, type Json, type JsonObject, type Sealed } from '../../src/model/json.js'
import { partApiVersion, type Kind } from '../../src/model/resources/kind.js'
import type { Finding } from '../../src/model/problem.js'
import type { Observed } from '../../src/model/resources/resource.js'
import type { Documents, StoredDocument, WriteResult } from '../../src/platform/documents.js'
import type {
  Connection,
  Driver,
  ListedResource,
  Platform,
  PlatformDescription,
  WatchCallbacks,
  ResourceWatches,
} from '../../src/platform/platform.js'
import { didYouMean } from '../../src/settings/did-you-mean.js'
import { strictObject } from '../../src/settings/schema/strict-object.js'
import { isSystems, mappingKey, plainKindNamed, plainKinds } from './plain-kinds.js'

function explainUnknownKind(kind: string, apiVersion: string): Finding {
  const names = plainKinds.map((one) => one.kind)
  if (names.includes(kind)) return { code: 'kinds/unknown-version', message: `There is no ${apiVersion} of ${kind}.` }
  const hint = didYouMean(kind, names)
  const unknown = { code: 'kinds/unknown-kind', message: `There is no kind "${kind}".` }
  return hint === undefined ? unknown : { ...unknown, hint }
}

export const plainDescription: PlatformDescription = {
  name: 'plain',
  version: 1,
  settings: strictObject({ space: z.string().default('main'), watch: z.enum(['yes', 'no']).default('no') }),
  families: [...new Set(plainKinds.map(({ family }) => family))].sort(),
  eventFamilies: { associated: ['Label', 'NotificationEndpoint'], unlisted: ['Secret'] },
  packageSchema: () => ({}),
  openKinds: () => ({ kind: plainKindNamed, explainUnknownKind, [Symbol.dispose]: () => {} }),
}

export interface Sealer {
  readonly seal: (value: string) => Sealed
  readonly open: (sealed: Sealed) => string
  readonly toSecret: (value: string) => Secret
}

export class PlainPlatform implements Platform {
  readonly name = 'plain'
  readonly version = 1
  readonly onFailure = 'undo'
  readonly updatesInParallel = true
  readonly kinds = plainKinds
  readonly kind = plainKindNamed
  readonly explainUnknownKind = explainUnknownKind
  readonly #documents: Documents
  readonly #sealer: Sealer
  /** By space and family. */
  readonly #watchers = new Map<string, Set<PlainWatching>>()

  constructor(documents: Documents, { sealer }: { readonly sealer: Sealer }) {
    this.#documents = documents
    this.#sealer = sealer
  }

  reportsChanges({ watch }: JsonObject): boolean {
    return watch === 'yes'
  }

  /** How many resources are watched. */
  get watched(): number {
    return [...this.#watchers.values()].reduce((sum, all) => [...all].reduce((n, one) => n + one.count, sum), 0)
  }

  /** All watches are lost, as if the target had closed its connections. */
  loseWatches(): void {
    for (const watchers of this.#watchers.values()) for (const one of watchers) one.lose()
  }

  systemId(settings: JsonObject): string {
    return settings['space'] as string
  }

  readonly secretStore: NonNullable<Platform['secretStore']> = {
    family: 'Secret',
    document: plainSecret,
    ownerOf: (key) =>
      key.endsWith('-token') ? { family: 'NotificationEndpoint', identity: key.slice(0, -6) as Identity } : undefined,
  }

  readonly labelling: NonNullable<Platform['labelling']> = {
    family: 'Label',
    labelled: ({ family, observed: { actual } }) => {
      const owner = plainKinds.find((kind) => `${kind.family.toLowerCase()}s` === actual['resourceType'])?.family
      if (family !== 'LabelMapping' || owner === undefined) return undefined
      const resource = { family: owner, identity: actual['resourceID'] as Identity }
      return { label: actual['labelID'] as Identity, resource }
    },
    declare: (names) => ({ associations: names.map((name) => ({ kind: 'Label', name })) }),
  }

  madeByTarget(listed: readonly ListedResource[]): ReadonlySet<string> {
    const made = listed.filter(({ family, observed }) => family === 'Bucket' && isSystems(observed.actual))
    return new Set(made.map(({ family, observed }) => `${family}/${observed.identity}`))
  }

  async connect({ settings }: { readonly settings: JsonObject }): Promise<Connection> {
    const space = this.systemId(settings)
    for (const name of ['_monitoring', '_tasks']) {
      const id = createHash('sha256').update(`${space}/${name}`).digest('hex').slice(0, 16)
      const state = { name, description: 'System bucket', retentionRules: [] }
      await this.#documents.insert(space, 'Bucket', { id, key: name, state, links: [] })
    }
    return {
      concurrency: 128,
      driver: (kind) => ({
        ...this.#driver(kind, space),
        ...(this.reportsChanges(settings) && {
          watch: (callbacks) => this.#watch(`${space}/${kind.family}`, callbacks),
        }),
      }),
      list: async ({ limit, after }) => {
        const [family, ...id] = after?.split('/') ?? []
        const from = family === undefined ? {} : { after: { family, id: id.join('/') } }
        const listed = await this.#documents.list(space, { limit, ...from })
        return listed.map((one) => ({ family: one.family, observed: this.#observed(one) }))
      },
      [Symbol.asyncDispose]: async () => {},
    }
  }

  #watch(place: string, callbacks: WatchCallbacks): ResourceWatches {
    const watchers = this.#watchers.get(place) ?? new Set()
    this.#watchers.set(place, watchers)
    const watching = new PlainWatching(callbacks, () => watchers.delete(watching))
    watchers.add(watching)
    return watching
  }

  #driver(kind: Kind, space: string): Driver {
    const { family } = kind
    const documents = this.#documents
    const changed = (id: string): void => {
      for (const one of this.#watchers.get(`${space}/${family}`) ?? []) one.changed(id)
    }
    const key = (state: JsonObject): string | undefined => kind.matching?.key(state)
    const write = async (verb: 'insert' | 'replace', id: string, state: JsonObject): Promise<Observed> => {
      if (family === 'Bucket' && isSystems(state))
        throw new Rejected('A system bucket cannot be changed.', { code: 'platform/system-bucket' })
      const stored = mapSecrets(state, (text) => ({ sealed: this.#sealer.seal(text) }))
      const links = family === 'LabelMapping' ? [state['resourceID'] as string, state['labelID'] as string] : []
      const document = { id, key: key(state) ?? null, state: stored, links }
      check(await documents[verb](space, family, document), family, document)
      changed(id)
      return this.#observed(document)
    }
    return {
      read: async (lookups) => {
        const byId = await documents.byIds(
          space,
          family,
          lookups.flatMap(({ identity }) => identity ?? []),
        )
        const byKey = await documents.byKeys(
          space,
          family,
          lookups.flatMap((one) => one.key ?? []),
        )
        return new Map(
          lookups.flatMap((one) => {
            const found = byId.get(one.identity ?? '') ?? byKey.get(one.key ?? '')
            return found === undefined ? [] : [[one.address, this.#observed(found)] as const]
          }),
        )
      },
      trace: (state) => {
        const natural = family === 'LabelMapping' ? mappingKey(state) : family === 'Secret' ? key(state) : undefined
        return { id: natural ?? randomBytes(8).toString('hex') }
      },
      find: async (trace) => {
        const { id } = trace as { readonly id: string }
        const found = (await documents.byIds(space, family, [id])).get(id)
        return found && this.#observed(found)
      },
      create: (state, trace) => write('insert', (trace as { readonly id: string }).id, state),
      update: ({ identity }, state) => write('replace', identity, state),
      remove: async ({ identity, actual }) => {
        if (family === 'Bucket' && isSystems(actual))
          throw new Rejected('A system bucket cannot be removed.', { code: 'platform/system-bucket' })
        await documents.remove(space, family, identity)
        changed(identity)
      },
    }
  }

  #observed({ id, state }: StoredDocument): Observed {
    const opened = Object.entries(state).map(([field, value]): [string, Json] => {
      const sealed = isObject(value) ? value['sealed'] : undefined
      return [field, typeof sealed === 'string' ? this.#sealer.toSecret(this.#sealer.open(sealed as Sealed)) : value]
    })
    return { identity: id as Identity, actual: Object.fromEntries(opened) }
  }
}

class PlainWatching implements ResourceWatches {
  readonly #callbacks: WatchCallbacks
  readonly #end: () => void
  readonly #addresses = new Map<Address, string>()

  constructor(callbacks: WatchCallbacks, end: () => void) {
    this.#callbacks = callbacks
    this.#end = end
  }

  async add(lookups: Parameters<ResourceWatches['add']>[0]): Promise<void> {
    for (const { address, identity } of lookups) this.#addresses.set(address, identity!)
  }

  drop(addresses: readonly Address[]): void {
    for (const address of addresses) this.#addresses.delete(address)
  }

  get count(): number {
    return this.#addresses.size
  }

  changed(id: string): void {
    for (const [address, identity] of this.#addresses) if (identity === id) this.#callbacks.woken(address)
  }

  lose(): void {
    const why = new Unavailable('The target closed the connection.', { code: 'platform/closed' })
    const lost = [...this.#addresses.keys()]
    this.#addresses.clear()
    for (const address of lost) this.#callbacks.lost(address, why)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
  }
}

/** The document of a given secret. */
export function plainSecret(key: string, value: Secret, values: EnvValues): Document {
  const place = { file: '', index: 0, pointer: '', line: 0 }
  const body = { apiVersion: partApiVersion, kind: 'Secret', metadata: { name: key }, spec: { key, value } }
  return { apiVersion: partApiVersion, kind: 'Secret', name: key, body, values, place, locate: () => place }
}

function mapSecrets(state: JsonObject, seal: (text: string) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(state).map(([field, value]) => {
      if (value instanceof Secret) return [field, seal(value.reveal())]
      return [field, field === 'token' && typeof value === 'string' ? seal(value) : value]
    }),
  )
}

function check(written: WriteResult, family: string, { key, id }: StoredDocument): void {
  if ('createdAt' in written) return
  const what = `The target refused ${family} ${JSON.stringify(key ?? id)}`
  if ('taken' in written)
    throw new TargetConflict(`${what}: another one already has that name (id ${written.taken}).`, {
      code: 'platform/name-taken',
    })
  throw new Rejected(`${what}: there is no resource with the id ${written.missing}.`, { code: 'platform/not-found' })
}
