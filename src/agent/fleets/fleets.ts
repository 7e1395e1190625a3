// The fleets that the agent follows: polls of their remotes also read their refs, and each listing follows a poll.
// Promises: one listing of a fleet at a time; a remote that hangs delays only the fleets that need it; a listing that
// found a problem is repeated after the next poll.
import { lockNames, withLock } from '../../lib/async/locks.js'
import { describeError, toError } from '../../model/errors.js'
import type { Fleet } from '../../model/stacks/fleet.js'
import { fleetSource, keepFleet, type FleetTip, type ListedFleet } from '../../stacks/fleets/keep-fleet.js'
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

interface FollowedFleet {
  readonly fleet: Fleet
  readonly remote: string
  /** A poll began since the fleet changed. */
  isPolled: boolean
  /** What the last poll found. */
  newest: FleetTip | undefined
  /** The state of the last listing, unless it had problems. */
  listed: string | undefined
  /** Codes of the problems of the last listing. */
  problems: string
  /** The listing in progress. */
  listing?: Promise<void> | undefined
}

export class Fleets implements FleetListings, PolledFleets {
  readonly #deps: FleetsDeps
  readonly #followed = new Map<string, FollowedFleet>()
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
    const { name } = fleet.spec
    const before = this.#followed.get(name)
    if (fleet.managedBy === 'file') this.#ofFile.add(name)
    else this.#ofFile.delete(name)
    try {
      const remote = this.#deps.members.sync.source.remoteOf(fleetSource(fleet.spec), '')
      const problems = before?.problems ?? ''
      this.#followed.set(name, { fleet, remote, problems, isPolled: false, newest: undefined, listed: undefined })
      this.#deps.follow(fleet, remote)
    } catch (error) {
      this.unfollow(name)
      void this.#deps.tasks.keep(this.exclusively(name, this.#deps.stop, () => this.#list(fleet, toError(error))))
    }
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
    return this.#at(remote).map(({ fleet }) => fleet.spec.directories.ref)
  }

  intervalsAt(remote: string): readonly number[] {
    return this.#at(remote).map(({ fleet }) => fleet.spec.template.intervalMs)
  }

  polled(remote: string, released: ReadonlyMap<string, FleetTip> | Error): void {
    const { tasks, stop } = this.#deps
    for (const followed of this.#at(remote)) {
      const { name, directories } = followed.fleet.spec
      const tip = released instanceof Error ? released : released.get(directories.ref)
      if (!followed.isPolled || tip === undefined) continue
      followed.newest = tip
      if (isListed(followed, tip)) continue
      const work = this.exclusively(name, stop, () => this.#listFollowed(followed, tip)).catch(() => {})
      const listing: Promise<void> = work.finally(() => {
        if (followed.listing === listing) followed.listing = undefined
      })
      followed.listing = tasks.keep(listing)
    }
  }

  /** Resolves when the fleet is listed at what the last poll found; undefined: it is. Never rejects. */
  listing(fleet: string): Promise<void> | undefined {
    return this.#followed.get(fleet)?.listing
  }

  #at(remote: string): readonly FollowedFleet[] {
    return [...this.#followed.values()].filter((followed) => followed.remote === remote)
  }

  /** Unless a later poll found something, or the fleet was listed, changed or deleted meanwhile. */
  async #listFollowed(followed: FollowedFleet, tip: FleetTip): Promise<void> {
    const { fleet } = followed
    const isCurrent = this.#followed.get(fleet.spec.name) === followed && followed.newest === tip
    if (!isCurrent || isListed(followed, tip)) return
    const listed = await this.#list(fleet, tip)
    if (listed === undefined) return
    const isDone = listed.listing.problems.length === 0
    followed.listed = isDone && !(tip instanceof Error) ? tip.state : undefined
    this.#report(followed, listed)
  }

  /** undefined: the database failed, or the agent stops. */
  async #list({ spec }: Fleet, tip: FleetTip): Promise<ListedFleet | undefined> {
    const { members, log, stop } = this.#deps
    try {
      return await keepFleet(spec, tip, members, stop)
    } catch (error) {
      if (!stop.aborted) log.error('listing not stored', { fleet: spec.name, error: describeError(error) })
      return undefined
    }
  }

  #report(followed: FollowedFleet, { listing, changes }: ListedFleet): void {
    const { log } = this.#deps
    const fleet = followed.fleet.spec.name
    const { revision, directories } = listing
    if (changes.length > 0) log.info('fleet listed', { fleet, revision, directories, changes: changes.length })
    const problems = listing.problems.map(({ code }) => code).join(' ')
    const [first] = listing.problems
    if (first !== undefined && problems !== followed.problems)
      log.warn('fleet changes nothing', { fleet, code: first.code, problem: first.message })
    followed.problems = problems
  }
}

function isListed({ listed }: FollowedFleet, tip: FleetTip): boolean {
  return !(tip instanceof Error) && listed === tip.state
}
