// The port to locks. Takes the name of a lock; gives it to one holder, or to holders that share it, in order of
// arrival, each with a fencing token. Promises: a holder that ends with an error releases its lock, and nothing is kept
// of a lock that nobody holds. Locks are not reentrant: a holder that acquires the same name again waits for itself.

/** A lock that is held. Disposing releases it; a second time does nothing. */
export interface HeldLock extends Disposable {
  /** Higher than that of every holder of this lock before. */
  readonly token: number
}

export interface Locks {
  /** Waits for earlier holders. Rejects with the reason of the signal if that aborts first; then nothing is held. */
  acquire(name: string, signal: AbortSignal): Promise<HeldLock>
  /** The same, beside holders that share it, too. */
  share(name: string, signal: AbortSignal): Promise<HeldLock>
  /** True if somebody in this process holds the lock or waits for it. */
  isHeld(name: string): boolean
}

/** Runs `work` while it holds the lock. If the signal aborts before, `work` does not begin. */
export async function withLock<T>(locks: Locks, name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  using _held = await locks.acquire(name, signal)
  return await work()
}

/** The same, beside others that share the lock. */
export async function withSharedLock<T>(
  locks: Locks,
  name: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  using _held = await locks.share(name, signal)
  return await work()
}

/**
 * The names of all locks. Who holds one may acquire one that is further down in the list.
 */
export const lockNames = {
  /** Listings and changes of a fleet. */
  fleet: (name: string) => `fleet ${name}`,
  /** Pushes and deletions of stacks on a live system. */
  system: (system: string) => `system ${system}`,
  /** Decides whether a request for a plan of a stack queues a run, or joins the one of an earlier request. */
  requestedPlan: (stack: string) => `requested plan ${stack}`,
  /** All work of a stack: its runs, drift checks and changes. */
  stack: (id: string) => `stack ${id}`,
  /** Writes to a live system. */
  target: (system: string) => `target ${system}`,
  /** What polls and decisions find at a remote is stored. */
  remote: (remote: string) => `remote ${remote}`,
  /** What stacks with several remotes observe is stored. */
  observations: 'observations',
  /** Changes are read from the database and published. */
  events: 'events',
  /** The mirror of a repository changes. */
  mirror: (remote: string) => `mirror ${remote}`,
  /** The copy of a file at a URL changes. */
  copy: (remote: string) => `copy ${remote}`,
} as const
