import type { Session } from '../model/agent/session.js'

/** Sessions of the page, at most `sessionLimits.most`. */
export interface SessionTable {
  /** Adds a session, and removes those of other tokens, those that ended, and the longest idle ones over the limit. */
  add(session: Session): Promise<void>
  get(digest: string): Promise<Session | undefined>
  /** Of one token; the last used one first. */
  list(token: string): Promise<readonly Session[]>
  /** Stores the time of its last request. */
  use(digest: string, at: number): Promise<void>
  /** True if it existed. */
  remove(digest: string): Promise<boolean>
}
