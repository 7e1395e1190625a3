// Verbs that change a template stack's names and ownership. They write nothing to the target.
import { randomBytes } from 'node:crypto'
import { familyOf, nameOf, type Address } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import type { Owned } from '../../model/resource.js'
import type { Stack, StackSpec } from '../../model/stack.js'
import { stackDefaults } from '../../settings/stack-settings.js'
import { adopt, kindFor, refuseUndeclared } from '../ownership/adopt-resources.js'
import type { Desk } from '../desk.js'
import { toDnsLabel } from '../discover/stack-names.js'
import { everyStack } from '../every-stack.js'
import { kindsByName } from '../plans/plan-stack.js'
import type { Reached } from '../targets.js'
import type { Verbs } from '../verbs.js'
import { apiVersions, viewEvents, viewRunRow } from '../queries/view-stack.js'
import type { NewTemplateStack, TemplateStackChange, TemplateStackView } from '../../views/template-stack.js'
import type { ReleasedResource } from '../../views/resource.js'
import type { RunRow } from '../../views/run.js'

const mostEvents = 500

type RecordVerb = 'newRecord' | 'records' | 'record' | 'amendRecord' | 'adopt' | 'release'

export class RecordVerbs implements Pick<Verbs, RecordVerb> {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async newRecord({ orgID, name, description, urls }: NewTemplateStack, by: string): Promise<TemplateStackView> {
    const { targets } = this.#desk.sync
    const organisation = targets.organisation(orgID)
    const id = randomBytes(8).toString('hex')
    const made = templateStackSpec(organisation.target, `${toDnsLabel(name.slice(0, 40), 'stack')}-${id.slice(0, 8)}`)
    const spec = { ...made, displayName: name, description, sources: [inlineSource(urls)] }
    const target = targets.liveSystem(spec.target)
    const { stack } = await this.#desk.store.stacks.create(spec, {
      id,
      managedBy: 'api',
      target,
      cause: { kind: 'created', by },
      quietly: true,
    })
    this.#desk.dispatch.follow(stack)
    return this.#view(stack)
  }

  async records({ orgID, names, ids }: Parameters<Verbs['records']>[0]): Promise<readonly TemplateStackView[]> {
    const asked = new Set(names)
    const wanted = new Set(ids)
    const all = asked.size + wanted.size === 0
    const found: TemplateStackView[] = []
    const { store } = this.#desk
    const among = asked.size === 0 && !all ? await store.stacks.many(ids) : everyStack(store)
    for await (const stack of among) {
      if (this.#orgOf(stack) !== orgID) continue
      if (all || wanted.has(stack.id) || asked.has(calledAs(stack))) found.push(await this.#view(stack))
    }
    return found
  }

  async record(id: string): Promise<TemplateStackView> {
    return this.#view(await this.#desk.stackWithId(id))
  }

  async amendRecord(
    id: string,
    change: TemplateStackChange,
    by: string,
    signal: AbortSignal,
  ): Promise<TemplateStackView> {
    await this.#desk.stackWithId(id)
    const before = await this.#desk.changeable(id)
    const spec = amended(before, change)
    await this.#settled(before, signal, async (reached) => {
      const own = await adopt(before, change.adopt, reached, this.#desk.sync, signal)
      const untrack = await this.#recorded(before, change.untrack, reached)
      const cause = { kind: 'person', by, note: 'the record is changed' } as const
      return this.#desk.store.stacks.changeOwnership({ stack: before.id, cause, spec, own, untrack })
    })
    const stack = await this.#desk.stackWithId(id)
    this.#desk.dispatch.follow(stack)
    return this.#view(stack)
  }

  async adopt(
    name: string,
    { address, id, by }: Parameters<Verbs['adopt']>[1],
    signal: AbortSignal,
  ): Promise<{ readonly run: RunRow }> {
    const stack = await this.#desk.stack(name)
    await refuseUndeclared(stack, address as Address, this.#desk, signal)
    const run = await this.#settled(stack, signal, async (reached) => {
      await this.#refuseTaken(stack, address as Address)
      const adoptee = { kind: familyOf(address as Address), id, metaName: nameOf(address as Address) }
      const own = await adopt(stack, [adoptee], reached, this.#desk.sync, signal)
      if (own[0]?.address !== address) throw alreadyRecorded(stack, adoptee)
      const cause = { kind: 'person', by, note: `adopts ${address} (${id})` } as const
      return this.#desk.store.stacks.changeOwnership({ stack: stack.id, cause, own })
    })
    return { run: viewRunRow(run) }
  }

  async release(
    name: string,
    { address, by }: Parameters<Verbs['release']>[1],
    signal: AbortSignal,
  ): Promise<ReleasedResource> {
    const stack = await this.#desk.stack(name)
    return this.#settled(stack, signal, async ({ platform }) => {
      const owned = await this.#desk.store.ownership.of(stack.id)
      const record = owned.get(address as Address)
      if (record === undefined || record.partOf !== undefined)
        throw new Refused('not-found', `${stack.spec.name} has no ${address}.`, {
          hint: `See what it has: gitmoor stack get ${stack.spec.name}`,
        })
      const cause = { kind: 'person', by, note: `releases ${address} (${record.identity})` } as const
      const run = await this.#desk.store.stacks.changeOwnership({
        stack: stack.id,
        cause,
        untrack: withParts([record], owned),
      })
      return {
        run: viewRunRow(run),
        id: record.identity,
        findsAgain: kindsByName(platform)(record.kind)?.key !== undefined,
      }
    })
  }

  /** Under the stack's lease and alone on the target, with nothing half-done. */
  async #settled<T>(stack: Stack, signal: AbortSignal, work: (reached: Reached) => Promise<T>): Promise<T> {
    const { dispatch, sync } = this.#desk
    return dispatch.runs.exclusively(stack.id, signal, () =>
      sync.targets.hold(stack.spec.target, { stack: stack.spec.name }, signal, async (reached) => {
        await sync.engine.recover({ stack: stack.id, ...reached, kindNamed: kindsByName(reached.platform) }, signal)
        return work(reached)
      }),
    )
  }

  /** Addresses, with their parts, of what is to be forgotten; what is not recorded is forgotten already. */
  async #recorded(
    stack: Stack,
    forget: TemplateStackChange['untrack'],
    { platform }: Reached,
  ): Promise<readonly Address[]> {
    const owned = await this.#desk.store.ownership.of(stack.id)
    const things = new Set(forget.map(({ kind, id }) => `${kindFor(platform, kind).family}/${id}`))
    const records = [...owned.values()].filter(({ address, identity }) =>
      things.has(`${familyOf(address)}/${identity}`),
    )
    return withParts(records, owned)
  }

  async #refuseTaken(stack: Stack, address: Address): Promise<void> {
    const record = (await this.#desk.store.ownership.of(stack.id)).get(address)
    if (record === undefined) return
    throw new Refused('conflict', `${stack.spec.name} has ${address} already: it is ${record.identity}.`, {
      code: 'stacks/address-taken',
      hint: `To give that one up first: gitmoor stack release ${stack.spec.name} ${address}`,
    })
  }

  #orgOf({ spec }: Stack): string | undefined {
    const { targets } = this.#desk.sync
    return targets.names.includes(spec.target) ? targets.organisationOf(spec.target).id : undefined
  }

  async #view(stack: Stack): Promise<TemplateStackView> {
    const events = await this.#desk.store.runs.events(stack.id, mostEvents)
    const versions = apiVersions(this.#desk.sync.targets.known(stack.spec.target))
    return {
      id: stack.id,
      orgID: this.#orgOf(stack) ?? '',
      createdAt: stack.createdAt,
      events: viewEvents(stack, events, versions),
    }
  }
}

function inlineSource(urls: readonly string[]): StackSpec['sources'][number] {
  return urls.length === 0 ? { kind: 'inline' } : { kind: 'inline', urls }
}

function amended({ spec }: Stack, { name, description, urls }: TemplateStackChange): StackSpec {
  if (urls !== undefined && urls.length > 0 && !spec.sources.some(({ kind }) => kind === 'inline'))
    throw new Refused('conflict', `${spec.name} follows a source; it takes no template URLs.`, {
      code: 'stacks/not-inline',
      hint: `To change what it follows: gitmoor stack set ${spec.name}`,
    })
  return {
    ...spec,
    ...(name === undefined ? {} : { displayName: name }),
    ...(description === undefined ? {} : { description }),
    sources:
      urls === undefined
        ? spec.sources
        : spec.sources.map((source) => (source.kind === 'inline' ? inlineSource(urls) : source)),
  }
}

function calledAs({ spec }: Stack): string {
  return spec.displayName ?? spec.name
}

function withParts(records: readonly Owned[], owned: ReadonlyMap<Address, Owned>): readonly Address[] {
  const given = new Set(records.map(({ address }) => address))
  const parts = [...owned.values()].filter(({ partOf }) => partOf !== undefined && given.has(partOf))
  return [...given, ...parts.map(({ address }) => address)]
}

function alreadyRecorded({ spec }: Stack, { kind, id }: { readonly kind: string; readonly id: string }): Refused {
  return new Refused('conflict', `${spec.name} has ${kind}/${id} already, or the name is used in it.`, {
    code: 'stacks/address-taken',
    hint: `See what it has: gitmoor stack get ${spec.name}`,
  })
}

const hourMs = 3_600_000

/**
 * Of a stack that is made over `/api/v2`, whatever it is called: a person acts on it, and nothing is corrected behind
 * their back.
 */
export function templateStackSpec(target: string, name: string): StackSpec {
  const acting = { drift: 'report', dataLoss: 'allow', driftIntervalMs: hourMs, intervalMs: hourMs } as const
  return { ...stackDefaults, ...acting, name, displayName: '', target, sources: [{ kind: 'inline' }] }
}
