import type { Learnt } from './channel.js'
import type { Run } from './run.js'
import { compileRange, readVersionRange, type VersionRange } from './version-range.js'

/**
 * A notification about a remote. It only triggers a poll. `ref`: full or short name; absent: any. `commit`: the ref's
 * new target, a commit or a tag object; null: the ref was deleted; absent: unknown. `by`: the person who decided it;
 * `hook`: the webhook of its delivery; `note`: for the cause of the resulting runs.
 */
export interface Hint {
  readonly ref?: string
  readonly commit?: string | null
  readonly learnt: Learnt
  readonly by?: string
  readonly hook?: string
  readonly note?: string
  /** The reason why the resulting runs write during a closed sync window. */
  readonly overrideWindow?: string
}

/**
 * `moved`: a poll found a change; `known`: the change was known; `unseen`: the remote did not show it in time;
 * `unfollowed`: no stack follows the ref, which only a poll could tell; `failed`: the remote was unreachable;
 * `interrupted`: the agent stopped meanwhile.
 */
export type HintResult = 'moved' | 'known' | 'unseen' | 'unfollowed' | 'failed' | 'interrupted'

/** The result of a notification. `runs`: the resulting runs; `why`: of `failed`. */
export interface HintOutcome {
  readonly result: HintResult
  readonly runs: readonly Pick<Run, 'id' | 'stack'>[]
  readonly why?: string
}

/** True if a stack's ref may be the notified one. HEAD may be any branch, and a version range any matching tag. */
export function mayMean(followed: string, told: string | undefined): boolean {
  if (told === undefined || followed === told) return true
  if (followed === 'HEAD') return !told.startsWith('refs/tags/')
  const range = readVersionRange(followed)
  if (range !== undefined) return mayFit(range, told)
  const [short, long] = followed.startsWith('refs/') ? [told, followed] : [followed, told]
  return long === `refs/heads/${short}` || long === `refs/tags/${short}`
}

function mayFit({ prefix, range }: VersionRange, told: string): boolean {
  const tag = told.replace(/^refs\/tags\//, '')
  return tag.startsWith(prefix) && compileRange(range).test(tag.slice(prefix.length))
}
