// What the last poll of each remote found, if a poll that finds the same again has nothing to do. Such a poll does not
// ask the database.
import type { Stack } from '../../model/stacks/stack.js'
import type { SourceRevision } from '../../source/source.js'
import type { PolledRefs } from './channels/channel-policies.js'

/**
 * `version`: `Store.pollVersion` before the stacks were read; `followers`: their ids. `refs`: those of the stacks.
 * `intervalMs`: their shortest one.
 */
export interface QuietPoll {
  readonly version: number
  readonly followers: readonly string[]
  readonly refs: readonly string[]
  readonly intervalMs: number
  readonly polled: PolledRefs
  readonly released: PolledRefs
}

export class QuietPolls {
  readonly #remotes = new Map<string, QuietPoll>()

  /** Undefined: something was written since, or others follow the remote. */
  of(remote: string, { followers, version }: Pick<QuietPoll, 'followers' | 'version'>): QuietPoll | undefined {
    const last = this.#remotes.get(remote)
    const isCurrent = last?.version === version && isSameList(last.followers, followers)
    return isCurrent ? last : undefined
  }

  /** Keeps it, unless a later poll with the same refs may have work: one is not released, or has other remotes, too. */
  set(remote: string, poll: QuietPoll, stacks: readonly Stack[]): void {
    const { version, followers, refs, intervalMs, polled, released } = poll
    const isFound = [...polled.values(), ...released.values()].every((one) => !(one instanceof Error))
    if (!isFound || stacks.some(({ spec }) => spec.sources.length > 1)) return
    this.#remotes.set(remote, { version, followers, refs, intervalMs, polled, released })
  }

  delete(remote: string): void {
    this.#remotes.delete(remote)
  }
}

/** True if all these refs are at the same revisions as before. */
export function isSamePoll(before: PolledRefs, now: PolledRefs): boolean {
  return [...now].every(([ref, revision]) => isSameRevision(before.get(ref), revision))
}

function isSameRevision(before: SourceRevision | Error | undefined, now: SourceRevision | Error): boolean {
  if (before === undefined || before instanceof Error || now instanceof Error) return false
  return before.state === now.state && before.object === now.object && before.name === now.name
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at])
}
