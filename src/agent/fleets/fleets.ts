// The fleets that the agent follows. Polls of the remotes of fleets of directories also read their refs, and each
// listing follows a poll. A fleet of targets is listed when it is followed, again after each reload. Promises: one
// listing of a fleet at a time; a remote that hangs delays only the fleets that need it; a listing of directories that
// found a problem is repeated after the next poll.
import { lockNames, withLock } from '../../lib/async/locks.js'
import { describeError, toError } from '../../model/errors.js'
import type { DirectoryFleet, Fleet, TargetFleet } from '../../model/stacks/fleet.js'
import { keepFleet, type ListedFleet } from '../../stacks/fleets/keep-fleet.js'
import {
  fleetSource,
  listDirectories,
  listTargets,
  type FleetMembers,
  type FleetTip,
} from '../../stacks/fleets/list-fleet.js'
import { everyFleet } from '../../stacks/fleets/every-fleet.js'
import type { MemberDeps } from '../../stacks/members/members.js'
import type { FleetListings } from '../../stacks/scheduler.js'
import type { Tasks } from '../schedule/tasks.js'
import type { Log } from '../watch/log.js'

/** What polls of remotes need of fleets. */
export interface PolledFleets {
  /** A poll of the remote begins. Gives the refs of the fleets that follow it. */
  begin(remote: string): readonly string[]
  /** How often these fleets want it polled. */
  intervalsAt(remote: string): readonly number[]
  /**
   * Begins listings at what a poll released of their refs; `Error`: the remote was unreachable. A fleet that changed
   * since the poll began waits for the next one: this one may be older than what it lists.
   */
  polled(remote: string, released: ReadonlyMap<string, FleetTip> | Error): void
}

export interface FleetsDeps {
  readonly members: MemberDeps
  readonly log: Log
  readonly tasks: Tasks
  /** The fleet follows this remote from now on; undefined: none. A new one is polled now. */
  readonly follow: (fleet: Fleet, remote: string | undefined) => void
  /** Without its file, the agent lists no fleet that the file declares. */
  readonly isFileGiven: boolean
  readonly stop: AbortSignal
}

interface Followed {
  readonly fleet: Fleet
  /** Codes of the problems of the last listing. */
  problems: string
  /** The listing in progress. */
  listing?: Promise<void> | undefined
}

interface FollowedDirectories extends Followed {
  readonly spec: DirectoryFleet
  readonly remote: string
  /** A poll began since the fleet changed. */
  isPolled: boolean
  /** What the last poll found. */
  newest: FleetTip | undefined
  /** The state of the last listing, unless it had problems. */
  listed: string | undefined
}

export class Fleets implements FleetListings, PolledFleets {
  readonly #deps: FleetsDeps
  readonly #followed = new Map<string, Followed | FollowedDirectories>()
  readonly #ofFile = new Set<string>()

  constructor(deps: FleetsDeps) {
    this.#deps = deps
  }

  /** Reads which fleets the configuration file declares. */
  async load(): Promise<void> {
    for await (const fleet of everyFleet(this.#deps.members.sync.store))
      if (fleet.managedBy === 'file') this.#ofFile.add(fleet.spec.name)
  }

  /** Follows all declared fleets. */
  async start(): Promise<void> {
    const { members, isFileGiven } = this.#deps
    for await (const fleet of everyFleet(members.sync.store))
      if (fleet.declared && (isFileGiven || fleet.managedBy === 'api')) this.follow(fleet)
  }

  isOfFile(name: string): boolean {
    return this.#ofFile.has(name)
  }

  follow(fleet: Fleet): void {
    const { spec, managedBy } = fleet
    if (managedBy === 'file') this.#ofFile.add(spec.name)
    else this.#ofFile.delete(spec.name)
    if ('targets' in spec) this.#followTargets(fleet, spec)
    else this.#followDirectories(fleet, spec)
  }

  #followTargets(fleet: Fleet, spec: TargetFleet): void {
    const followed: Followed = { fleet, problems: this.#problemsOf(spec.name) }
    this.#followed.set(spec.name, followed)
    this.#deps.follow(fleet, undefined)
    this.#begin(followed, async () => {
      if (this.#followed.get(spec.name) !== followed) return
      const listed = await this.#list(fleet, async () => listTargets(spec, this.#deps.members))
      if (listed !== undefined) this.#report(followed, listed)
    })
  }

  #followDirectories(fleet: Fleet, spec: DirectoryFleet): void {
    const { members, stop, tasks, follow } = this.#deps
    const { name } = spec
    const problems = this.#problemsOf(name)
    try {
      const remote = members.sync.source.remoteOf(fleetSource(spec), '')
      const followed = { fleet, spec, remote, problems, isPolled: false, newest: undefined, listed: undefined }
      this.#followed.set(name, followed)
      follow(fleet, remote)
    } catch (error) {
      this.unfollow(name)
      const list = (): Promise<FleetMembers> => listDirectories(spec, toError(error), members, stop)
      void tasks.keep(this.exclusively(name, stop, () => this.#list(fleet, list)))
    }
  }

  #problemsOf(name: string): string {
    return this.#followed.get(name)?.problems ?? ''
  }

  unfollow(name: string): void {
    this.#ofFile.delete(name)
    const followed = this.#followed.get(name)
    this.#followed.delete(name)
    if (followed !== undefined) this.#deps.follow(followed.fleet, undefined)
  }

  exclusively<T>(fleet: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return withLock(this.#deps.members.sync.locks, lockNames.fleet(fleet), signal, work)
  }

  begin(remote: string): readonly string[] {
    for (const followed of this.#at(remote)) followed.isPolled = true
    return this.refsAt(remote)
  }

  refsAt(remote: string): readonly string[] {
    return this.#at(remote).map(({ spec }) => spec.directories.ref)
  }

  intervalsAt(remote: string): readonly number[] {
    return this.#at(remote).map(({ spec }) => spec.template.intervalMs)
  }

  polled(remote: string, released: ReadonlyMap<string, FleetTip> | Error): void {
    for (const followed of this.#at(remote)) {
      const { ref } = followed.spec.directories
      const tip = released instanceof Error ? released : released.get(ref)
      if (!followed.isPolled || tip === undefined) continue
      followed.newest = tip
      if (!isListed(followed, tip)) this.#begin(followed, () => this.#listFollowed(followed, tip))
    }
  }

  /** Lists the fleet while nothing else does. */
  #begin(followed: Followed, work: () => Promise<void>): void {
    const { tasks, stop } = this.#deps
    const done = this.exclusively(followed.fleet.spec.name, stop, work).catch(() => {})
    const listing: Promise<void> = done.finally(() => {
      if (followed.listing === listing) followed.listing = undefined
    })
    followed.listing = tasks.keep(listing)
  }

  /** Resolves when the fleet is listed as it is now; undefined: it is. Never rejects. */
  listing(fleet: string): Promise<void> | undefined {
    return this.#followed.get(fleet)?.listing
  }

  #at(remote: string): readonly FollowedDirectories[] {
    return [...this.#followed.values()].filter(
      (followed): followed is FollowedDirectories => 'remote' in followed && followed.remote === remote,
    )
  }

  /** Unless a later poll found something, or the fleet was listed, changed or deleted meanwhile. */
  async #listFollowed(followed: FollowedDirectories, tip: FleetTip): Promise<void> {
    const { fleet, spec } = followed
    const isCurrent = this.#followed.get(spec.name) === followed && followed.newest === tip
    if (!isCurrent || isListed(followed, tip)) return
    const { members, stop } = this.#deps
    const listed = await this.#list(fleet, () => listDirectories(spec, tip, members, stop))
    if (listed === undefined) return
    const isDone = listed.listing.problems.length === 0
    followed.listed = isDone && !(tip instanceof Error) ? tip.state : undefined
    this.#report(followed, listed)
  }

  /** undefined: the database failed, or the agent stops. */
  async #list({ spec }: Fleet, list: () => Promise<FleetMembers>): Promise<ListedFleet | undefined> {
    const { members, log, stop } = this.#deps
    try {
      return await keepFleet(spec, await list(), members)
    } catch (error) {
      if (!stop.aborted) log.error('listing not stored', { fleet: spec.name, error: describeError(error) })
      return undefined
    }
  }

  #report(followed: Followed, { listing, changes }: ListedFleet): void {
    const { log } = this.#deps
    const { at: _, problems: all, ...found } = listing
    const fleet = followed.fleet.spec.name
    if (changes.length > 0) log.info('fleet listed', { fleet, ...found, changes: changes.length })
    const problems = all.map(({ code }) => code).join(' ')
    const [first] = all
    if (first !== undefined && problems !== followed.problems)
      log.warn('fleet changes nothing', { fleet, code: first.code, problem: first.message })
    followed.problems = problems
  }
}

function isListed({ listed }: FollowedDirectories, tip: FleetTip): boolean {
  return !(tip instanceof Error) && listed === tip.state
}
