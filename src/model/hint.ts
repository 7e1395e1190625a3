import type { Learnt } from './channel.js'
import type { Run } from './run.js'
import { compileRange, readVersionRange, type VersionRange } from './version-range.js'

/**
 * What somebody told of a remote. It decides nothing: the remote itself is asked. `ref`: full or short name; absent: any. `commit`: what the ref shall lead
 * to, a commit or a tag object; null: the ref shall be gone; absent: not told. `by`: the person who decided it; `hook`: the webhook by which a sender told it;
 * `note`: for the cause of the runs that follow.
 */
export interface Hint {
  readonly ref?: string
  readonly commit?: string | null
  readonly learnt: Learnt
  readonly by?: string
  readonly hook?: string
  readonly note?: string
  /** Why the runs that follow write though a sync window is closed. */
  readonly overrideWindow?: string
}

/**
 * `moved`: a look saw something new; `known`: what was told had been seen before; `unseen`: the remote did not show it in time; `unfollowed`:
 * nobody follows what was told, which only a look could tell; `failed`: the remote could
 * not be asked; `interrupted`: the agent stopped meanwhile.
 */
export type HintResult = 'moved' | 'known' | 'unseen' | 'unfollowed' | 'failed' | 'interrupted'

/** What came of a hint. `runs`: those that follow from it; `why`: of `failed`. */
export interface HintOutcome {
  readonly result: HintResult
  readonly runs: readonly Pick<Run, 'id' | 'stack'>[]
  readonly why?: string
}

/** Whether what a stack follows may be the ref that was told. HEAD may be any branch, and a range of versions any tag that fits it. */
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
