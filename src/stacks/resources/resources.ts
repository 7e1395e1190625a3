// Things on a target, as a person looks at them, or breaks them by hand. Writes here go behind the stacks' backs, as
// any other client's would, but never while a run or a drift check holds the target: what these record would not be
// true.
import { familyOf, type Address, type Identity } from '../../model/address.js'
import type { Clock } from '../../lib/clock.js'
import { Refused } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import type { Stack } from '../../model/stack.js'
import type { Observed, Owned } from '../../model/resource.js'
import { callDriver } from '../../platform/call-driver.js'
import { overlay } from '../../plan/diff.js'
import type { Caller, Connection, Platform } from '../../platform/platform.js'
import type { Store } from '../../store/store.js'
import { refuseUnfit } from './check-resource.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import { overrideWindows, stacksWithWindows } from './override-windows.js'
import { claimsOn, refuseRemoval, refuseUpdate } from './refuse-loss.js'
import type { Reached, Targets } from '../targets.js'
import type { Paging } from '../verbs.js'
import type { TargetResource } from '../../views/resource.js'
import type { Page } from '../../views/page.js'

export interface ResourceScope {
  readonly target?: string
  readonly stack?: string
}

/** Things at one address that are compared; an answer that names more helps nobody. */
const mostOwners = 20

/** A request that writes. */
export interface WriteRequest extends ResourceScope, WindowOverrideOptions {
  /**
   * The resource that may lose data, or be removed though it is protected: its address, or FAMILY/ID where no stack
   * owns it.
   */
  readonly consent?: string
  /** Who asks. Default: `api`. */
  readonly by?: string
}

interface FoundResource extends Reached {
  readonly kind: Kind
  readonly there: Observed
}

export class TargetResources {
  readonly #store: Store
  readonly #targets: Targets
  readonly #clock: Clock

  constructor({ store, targets, clock }: { readonly store: Store; readonly targets: Targets; readonly clock: Clock }) {
    this.#store = store
    this.#clock = clock
    this.#targets = targets
  }

  async list(
    { limit = 100, after, ...whose }: Paging & ResourceScope,
    signal: AbortSignal,
  ): Promise<Page<TargetResource>> {
    const target = await this.#targetOf(whose)
    return this.#targets.reach(target, callerOf(whose), signal, async (reached) => {
      const page = { limit, ...(after === undefined ? {} : { after }) }
      if (whose.stack !== undefined) return this.#ofStack(whose.stack, page, { target, ...reached }, signal)
      const listed = await callDriver('list', reached.calling, (inner) => reached.connection.list(page, inner), signal)
      const items = await this.#views(listed, target, reached.platform)
      const last = listed.at(-1)
      return {
        items,
        next: listed.length < limit || last === undefined ? null : `${last.family}/${last.observed.identity}`,
      }
    })
  }

  async get(which: string, whose: ResourceScope, signal: AbortSignal): Promise<TargetResource> {
    return this.#with('reach', { which, whose }, signal, (found, target) => this.#view(found, target))
  }

  /**
   * `live` is laid over what is there. Errors: `Refused` held, where that loses data without consent, or a window is
   * closed and not overridden; `Refused` locked, where a stack that owns it is suspended; `InvalidPackage`, where its
   * kind refuses it.
   */
  async edit(which: string, live: object, asked: WriteRequest, signal: AbortSignal): Promise<TargetResource> {
    return this.#with('hold', { which, whose: asked }, signal, async (found, target) => {
      const driver = found.connection.driver(found.kind)
      const held = overlay(found.there.actual, live as JsonObject)
      refuseUnfit({
        name: which,
        kinds: kindsOfFamily(found),
        desired: held,
        before: found.there.actual,
        identity: found.there.identity,
      })
      const claimed = await claimsOn(found, this.#store)
      const pass = await this.#pass(claimed.stacks, found.system, { ...asked, what: `edit ${claimed.name}` })
      refuseUpdate(found, claimed, held, asked.consent)
      const there = await this.#past(claimed.stacks, pass, () =>
        callDriver(`update ${which}`, found.calling, (inner) => driver.update(found.there, held, inner), signal),
      )
      return this.#view({ ...found, there }, target)
    })
  }

  /**
   * Errors: `Refused` held, where that loses data or takes away what is protected, without consent, and as of `edit`.
   */
  async delete(which: string, asked: WriteRequest, signal: AbortSignal): Promise<void> {
    return this.#with('hold', { which, whose: asked }, signal, async (found) => {
      const claimed = await claimsOn(found, this.#store)
      const pass = await this.#pass(claimed.stacks, found.system, { ...asked, what: `delete ${claimed.name}` })
      refuseRemoval(found, claimed, asked.consent)
      const driver = found.connection.driver(found.kind)
      await this.#past(claimed.stacks, pass, () =>
        callDriver(`remove ${which}`, found.calling, (inner) => driver.remove(found.there, inner), signal),
      )
    })
  }

  /** Owned by nobody. Errors: as of `edit`. */
  async create(family: string, live: object, asked: WriteRequest, signal: AbortSignal): Promise<TargetResource> {
    const target = await this.#targetOf(asked)
    return this.#targets.reach(target, callerOf(asked), signal, async (reached) => {
      const kind = kindOfFamily(reached.platform, family)
      refuseUnfit({
        name: family,
        kinds: kindsOfFamily({ ...reached, kind }),
        desired: live as JsonObject,
        identity: 'new' as Identity,
      })
      const driver = reached.connection.driver(kind)
      const held = kind.normalise(live as JsonObject)
      const pass = await this.#pass([], reached.system, {
        ...asked,
        what: `create ${family} ${kind.displayName?.(held) ?? ''}`.trim(),
      })
      const there = await this.#past([], pass, () =>
        callDriver(
          `create ${family}`,
          reached.calling,
          (inner) => driver.create(held, driver.trace(held), inner),
          signal,
        ),
      )
      return this.#view({ ...reached, kind, there }, target)
    })
  }

  /**
   * Throws where an owner is suspended, or a window closes the stacks that count; gives what records that the window is
   * overridden.
   */
  async #pass(
    owners: readonly Stack[],
    system: string,
    { overrideWindow, by = 'api', what }: WriteRequest & { readonly what: string },
  ): Promise<() => Promise<void>> {
    const at = this.#clock.now()
    const windowed = await stacksWithWindows(owners, system, { store: this.#store, targets: this.#targets })
    const passed = overrideWindows({ owners, windowed }, at, overrideWindow)
    return () =>
      passed.length === 0
        ? Promise.resolve()
        : this.#store.overrides.add({ at, by, what, why: overrideWindow ?? '' }, passed)
  }

  /**
   * Writes past the stacks. Records first which windows it overrides, and that nobody knows whether the target is as
   * the stacks declare: a write that fails may have happened all the same.
   */
  async #past<T>(stacks: readonly Stack[], pass: () => Promise<void>, write: () => Promise<T>): Promise<T> {
    await pass()
    const compared = stacks.filter(({ spec }) => spec.drift !== 'ignore')
    for (const { id } of compared) await this.#store.stacks.change(id, { checkedAt: null })
    return write()
  }

  /** `by`: with `hold`, nothing else that gitmoor does writes to the target meanwhile. */
  async #with<T>(
    by: 'hold' | 'reach',
    { which, whose }: { readonly which: string; readonly whose: ResourceScope },
    signal: AbortSignal,
    work: (found: FoundResource, target: string) => Promise<T>,
  ): Promise<T> {
    const { family, identity, target } = await this.#find(which, whose)
    return this.#targets[by](target, callerOf(whose), signal, async (reached) => {
      const kind = kindOfFamily(reached.platform, family)
      const address = which as Address
      const read = await callDriver(
        `read ${which}`,
        reached.calling,
        (inner) => reached.connection.driver(kind).read([{ address, identity }], inner),
        signal,
      )
      const there = read.get(address)
      if (there === undefined) throw notFound(which, target)
      return work({ ...reached, kind, there }, target)
    })
  }

  /** An address that a stack owns, else FAMILY/ID. */
  async #find(
    which: string,
    whose: ResourceScope,
  ): Promise<{ readonly family: string; readonly identity: Identity; readonly target: string }> {
    const family = familyOf(which as Address)
    if (family === '' || !which.includes('/'))
      throw new Refused('usage', `${which} is neither an address (Bucket/raw) nor FAMILY/ID (Bucket/0a1b2c3d4e5f6071).`)
    const owned = await this.#ownersOf(which as Address, whose)
    if (owned.length > 1)
      throw new Refused('conflict', `Several stacks have ${which}: ${owned.map(({ stack }) => stack).join(', ')}.`, {
        hint: 'Say which one with --stack.',
      })
    const [one] = owned
    if (one !== undefined) return { family, identity: one.identity, target: one.target }
    if (whose.stack !== undefined)
      throw new Refused('not-found', `Stack ${whose.stack} has no ${which}.`, {
        hint: `See what it has: gitmoor stack get ${whose.stack}`,
      })
    if (whose.target !== undefined) this.#targets.refuseUnknown(whose.target)
    return { family, identity: which.slice(family.length + 1) as Identity, target: whose.target ?? 'local' }
  }

  async #ownersOf(
    address: Address,
    { stack, target }: ResourceScope,
  ): Promise<readonly { stack: string; identity: Identity; target: string }[]> {
    const found =
      stack === undefined ? await this.#store.ownership.at(address, mostOwners) : await this.#owned(address, stack)
    const wanted = found.filter((one) => target === undefined || one.target === target)
    return [...new Map(wanted.map((one) => [`${this.#targets.liveSystem(one.target)} ${one.identity}`, one])).values()]
  }

  async #owned(
    address: Address,
    name: string,
  ): Promise<readonly { stack: string; identity: Identity; target: string }[]> {
    const { id, spec } = await this.#stack(name)
    const record = (await this.#store.ownership.of(id)).get(address)
    return record === undefined ? [] : [{ stack: spec.name, identity: record.identity, target: spec.target }]
  }

  async #stack(name: string): Promise<Stack> {
    const stack = await this.#store.stacks.get(name)
    if (stack === undefined) throw new Refused('not-found', `There is no stack named ${name}.`)
    return stack
  }

  /** By their addresses; what is gone is left out. */
  async #ofStack(
    name: string,
    page: Paging & { readonly limit: number },
    { target, platform, connection, calling }: Reached & { readonly target: string },
    signal: AbortSignal,
  ): Promise<Page<TargetResource>> {
    const { id } = await this.#stack(name)
    const records = await this.#store.ownership.byAddress(id, page)
    const known = new Map(platform.kinds.map((kind) => [kind.kind, kind]))
    const wanted = new Map<Kind, Owned[]>()
    for (const record of records) {
      const kind = known.get(record.kind)
      if (kind !== undefined) wanted.set(kind, [...(wanted.get(kind) ?? []), record])
    }
    const items: TargetResource[] = []
    for (const [kind, some] of wanted) {
      const read = await callDriver(
        `read ${kind.family}`,
        calling,
        (inner) => connection.driver(kind).read(some, inner),
        signal,
      )
      for (const [address, there] of read) items.push(view(kind, there, target, { stack: name, address }))
    }
    return { items, next: records.length < page.limit ? null : (records.at(-1)?.address ?? null) }
  }

  async #view({ kind, there, platform }: FoundResource, target: string): Promise<TargetResource> {
    const [one] = await this.#views([{ family: kind.family, observed: there }], target, platform)
    return one!
  }

  async #views(
    listed: Awaited<ReturnType<Connection['list']>>,
    target: string,
    platform: Platform,
  ): Promise<readonly TargetResource[]> {
    const things = listed.map(({ family, observed }) => ({ family, identity: observed.identity }))
    const owners = await this.#store.ownership.owners(this.#targets.liveSystem(target), things)
    return listed.map(({ family, observed }) => {
      const owner = owners.get(`${family}/${observed.identity}`)
      // A family that no kind has (a damaged row, another version) hides nothing else of the list.
      const kind = platform.kinds.find((one) => one.family === family) ?? { family }
      return view(kind, observed, target, owner ?? { stack: null, address: null })
    })
  }

  async #targetOf({ target, stack }: ResourceScope): Promise<string> {
    if (target !== undefined) this.#targets.refuseUnknown(target)
    if (stack === undefined) return target ?? 'local'
    return (await this.#stack(stack)).spec.target
  }
}

function callerOf({ stack }: ResourceScope): Caller {
  return stack === undefined ? {} : { stack }
}

function view(
  kind: Pick<Kind, 'family' | 'displayName'>,
  { identity, actual }: Observed,
  target: string,
  owner: { readonly stack: string | null; readonly address: string | null },
): TargetResource {
  return {
    target,
    family: kind.family,
    id: identity,
    displayName: kind.displayName?.(actual) ?? identity,
    stack: owner.stack,
    address: owner.address,
    actual,
  }
}

function kindOfFamily(platform: Platform, family: string): Kind {
  const kind = platform.kinds.find((one) => one.family === family)
  if (kind !== undefined) return kind
  const families = [...new Set(platform.kinds.map((one) => one.family))]
  throw new Refused('not-found', `There is no family named ${family}.`, {
    hint: `Families are: ${families.join(', ')}.`,
  })
}

function kindsOfFamily({ platform, kind: { family } }: Pick<FoundResource, 'platform' | 'kind'>): readonly Kind[] {
  return platform.kinds.filter((kind) => kind.family === family)
}

function notFound(which: string, target: string): Refused {
  return new Refused('not-found', `There is no ${which} on target ${target}.`, {
    hint: 'See what is there: gitmoor resource list',
  })
}
