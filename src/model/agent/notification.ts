import type { RevisionDecision } from '../resources/change.js'
import type { DetectedBy } from '../sources/channel.js'
import type { Run } from '../stacks/run.js'
import { compileRange, readVersionRange, type VersionRange } from '../sources/ref.js'

/**
 * A notification about a remote. It triggers a poll, and nothing is believed that the poll does not find. `ref`: full
 * or short name; absent: any. `commit`: the ref's new target, a commit or a tag object; null: the ref was deleted;
 * absent: unknown. `by`: the person who decided or promoted it; `hook`: the webhook of its delivery; `note`: for the
 * cause of the resulting runs.
 */
export interface Notification {
  readonly ref?: string
  readonly commit?: string | null
  readonly detectedBy: DetectedBy
  readonly by?: string
  readonly hook?: string
  readonly note?: string
  /** The decision of `by` that moves stacks to another revision. */
  readonly decision?: RevisionDecision
  /** The reason why the resulting runs write during a closed sync window. */
  readonly overrideWindow?: string
}

/**
 * `moved`: a poll found a change; `known`: the change was known; `not-visible`: the remote did not show it in time;
 * `unfollowed`: no stack follows the ref, which only a poll could find out; `failed`: the remote was unreachable;
 * `interrupted`: the agent stopped meanwhile.
 */
export type NotificationResult = 'moved' | 'known' | 'not-visible' | 'unfollowed' | 'failed' | 'interrupted'

/** The result of a notification. `runs`: the resulting runs; `why`: of `failed`. */
export interface NotificationOutcome {
  readonly result: NotificationResult
  readonly runs: readonly Pick<Run, 'id' | 'stack'>[]
  readonly why?: string
}

/** True if a stack's ref may be the notified one. HEAD may be any branch, and a version range any matching tag. */
export function mayMatchRef(followed: string, ref: string | undefined): boolean {
  if (ref === undefined || followed === ref) return true
  if (followed === 'HEAD') return !ref.startsWith('refs/tags/')
  const range = readVersionRange(followed)
  if (range !== undefined) return mayMatchRange(range, ref)
  const [short, long] = followed.startsWith('refs/') ? [ref, followed] : [followed, ref]
  return long === `refs/heads/${short}` || long === `refs/tags/${short}`
}

function mayMatchRange({ prefix, range }: VersionRange, ref: string): boolean {
  const tag = ref.replace(/^refs\/tags\//, '')
  return tag.startsWith(prefix) && compileRange(range).test(tag.slice(prefix.length))
}
