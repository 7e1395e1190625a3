// Concurrent writes share a commit, as long as they take no longer than a slice of the event loop. Each resolves when
// its commit is on disk. A write that fails does not affect the others.
import { performance as eventLoop } from 'node:perf_hooks'
import type Database from 'better-sqlite3'
import { recordWrites } from '../decisions/recorded-tables.js'
import type { DecisionLog, RecordedRow } from '../decisions/decision-log.js'
import { isBusy, isUnwritable } from './sqlite-error.js'

interface QueuedWrite {
  readonly work: () => unknown
  /** Nobody waits for it alone: it is committed with another one. */
  readonly isForLater: boolean
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

interface DoneWrite {
  readonly one: QueuedWrite
  readonly value: unknown
}

export interface CommitOptions {
  /** How long a write waits while another program locks the database. Default 5,000. */
  readonly busyMs?: number
  /** How long writes that share a commit may take. Default 20. */
  readonly commitMs?: number
  /** How long a write that was added for later waits at most for another one. Default 50. */
  readonly laterMs?: number
  /** The log that decisions are written to before their commit. Default: none. */
  readonly decisions?: DecisionLog
  /** Called in each transaction: why nothing may be committed; undefined: it may. Default: it may. */
  readonly whyLost?: () => Error | undefined
}

interface CommitDeps extends CommitOptions {
  readonly database: Database.Database
  /** It gives rows as lists of values. */
  readonly statement: (sql: string) => Database.Statement
  /** Updates the tables that are derived from others. */
  readonly updateDerived: () => void
  /** The error for the caller. */
  readonly explain: (error: unknown) => unknown
}

/** Writes that may wait share a commit that often, if there were this many of them in this time. */
const soonMs = 2_000
const many = { writes: 16, withinMs: 10_000 }
const busyPauseMs = 25
/** The pause between commits that several writers share, as a multiple of the last one, and at most. */
const pauseRatio = 3
const mostPauseMs = 20
/** How often a pause looks whether the process is idle. */
const tickMs = 1
/** Further writes wait for the next round of the event loop. */
const commitBytes = 1024 * 1024
/** Pages in the log at which a commit also copies them to the database: SQLite's default. */
const checkpointPages = 1_000

export class CommitQueue {
  readonly #deps: CommitDeps
  #waiting: QueuedWrite[] = []
  #busySince: number | undefined
  /** Rows that the current transaction recorded. */
  #recorded: RecordedRow[] = []
  #bytes = 0
  #isScheduled = false
  /** Commits what was added for later, if no other write comes. */
  #laterTimer: NodeJS.Timeout | undefined
  /** When it does, by `performance.now`. */
  #laterAt = 0
  /** When the last writes came that may wait, by `performance.now`. */
  #soon: number[] = []
  /** A large commit left its checkpoint to the next round of the event loop. */
  #isCheckpointDue = false
  /** Why the last commit failed; undefined: it succeeded. */
  #unwritable: unknown

  constructor(deps: CommitDeps) {
    this.#deps = deps
    if (deps.decisions !== undefined) recordWrites(deps.database, (row) => this.#recorded.push(row))
  }

  /** When the next commit may begin, by `performance.now`. */
  #nextAt = 0

  /** The disk could not be written to at the last commit. */
  get failed(): boolean {
    return this.#unwritable !== undefined
  }

  /** One transaction; durable when it resolves. */
  add<T>(work: () => T): Promise<T> {
    const added = this.#push(work, false)
    this.#schedule()
    return added
  }

  /** The same, with the commit of the next write: before it, and at the latest after `laterMs`. */
  addForLater<T>(work: () => T): Promise<T> {
    const added = this.#push(work, true)
    this.#commitWithin(this.#deps.laterMs ?? 50)
    return added
  }

  /** The same, at once while there are few such writes; many of them share a commit after 2 s. */
  addSoon<T>(work: () => T): Promise<T> {
    const added = this.#push(work, true)
    const now = performance.now()
    this.#soon = [...this.#soon, now].slice(-many.writes)
    const areMany = this.#soon.length === many.writes && now - this.#soon[0]! < many.withinMs
    if (areMany) this.#commitWithin(soonMs)
    else this.#schedule()
    return added
  }

  /** The current write writes so many bytes. */
  count(bytes: number): void {
    this.#bytes += bytes
  }

  /** Commits everything that waits now, or rejects it. */
  close(): void {
    while (this.#waiting.length > 0) {
      this.#busySince = Number.NEGATIVE_INFINITY // end all waiting
      this.#commit()
    }
    this.#deps.decisions?.[Symbol.dispose]()
  }

  #push<T>(work: () => T, isForLater: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, isForLater, resolve, reject })
    })
  }

  #commitWithin(ms: number): void {
    const at = performance.now() + ms
    if (this.#laterTimer !== undefined && this.#laterAt <= at) return
    clearTimeout(this.#laterTimer)
    this.#laterAt = at
    this.#laterTimer = setTimeout(() => this.#schedule(), ms).unref()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const begin = (): void => {
      this.#isScheduled = false
      if (!this.#deps.database.open) return
      if (this.#isCheckpointDue) this.#checkpoint()
      else this.#commit()
    }
    if (this.#nextAt - performance.now() > 1) this.#afterPause(begin)
    else setImmediate(begin)
  }

  /** Begins when the pause is over, or when the process has nothing else to do: then no other writer comes soon. */
  #afterPause(begin: () => void): void {
    const before = eventLoop.eventLoopUtilization()
    setTimeout(() => {
      const isIdle = eventLoop.eventLoopUtilization(before).idle > tickMs / 2
      if (isIdle || performance.now() >= this.#nextAt) begin()
      else this.#afterPause(begin)
    }, tickMs)
  }

  /**
   * While several writers share commits, more of them share the next one if it waits longer than the last one took,
   * and the processor has other work meanwhile. A single writer waits for nothing.
   */
  #spaceOut(done: readonly QueuedWrite[], began: number): void {
    const isShared = done.filter(({ isForLater }) => !isForLater).length > 1
    const now = performance.now()
    this.#nextAt = isShared ? now + Math.min(pauseRatio * (now - began), mostPauseMs) : 0
  }

  #postponeCheckpoint(): void {
    this.#deps.database.pragma('wal_autocheckpoint = 0')
    this.#isCheckpointDue = true
  }

  /** Copies the pages of a large commit from the log to the database. If it fails, a later checkpoint copies them. */
  #checkpoint(): void {
    const { database, explain } = this.#deps
    this.#isCheckpointDue = false
    try {
      database.pragma('wal_checkpoint(passive)')
    } catch (error) {
      explain(error)
    }
    database.pragma(`wal_autocheckpoint = ${checkpointPages}`)
    if (this.#waiting.length > 0) this.#schedule()
  }

  #commit(): void {
    const { database, statement, updateDerived } = this.#deps
    const waiting = this.#waiting
    this.#waiting = []
    clearTimeout(this.#laterTimer)
    this.#laterTimer = undefined
    if (waiting.length === 0) return
    const done: DoneWrite[] = []
    this.#recorded = []
    let cut: (() => void) | undefined
    let tried = 0
    const began = performance.now()
    try {
      this.#begin()
      this.#busySince = undefined
      this.#unwritable = undefined
      const until = performance.now() + (this.#deps.commitMs ?? 20)
      this.#bytes = 0
      if (waiting.length === 1) done.push(this.#alone(waiting[tried++]!))
      else
        do this.#attempt(waiting[tried++]!, done)
        while (tried < waiting.length && performance.now() < until && this.#bytes < commitBytes)
      updateDerived()
      cut = this.#record()
      if (this.#bytes >= commitBytes) this.#postponeCheckpoint()
      statement('commit').run()
    } catch (error) {
      cut?.()
      if (database.inTransaction) database.exec('rollback')
      if (isBusy(error) && this.#mayWait()) return this.#tryAgain(waiting)
      for (const one of waiting) one.reject(this.#explain(error))
      return
    }
    this.#spaceOut(waiting.slice(0, tried), began)
    this.#waiting = [...waiting.slice(tried), ...this.#waiting]
    if (this.#waiting.length > 0 || this.#isCheckpointDue) this.#schedule()
    for (const { one, value } of done) one.resolve(value as never)
  }

  /** Begins, and only then checks the lock: another agent replaces the lock before it writes. */
  #begin(): void {
    this.#deps.statement('begin immediate').run()
    const lost = this.#deps.whyLost?.()
    if (lost !== undefined) throw lost
  }

  /** True while a write may wait for another program that locks the database. Waiting must not block the process. */
  #mayWait(): boolean {
    const { busyMs = 5_000 } = this.#deps
    this.#busySince ??= performance.now()
    if (performance.now() - this.#busySince < busyMs) return true
    this.#busySince = undefined
    return false
  }

  #tryAgain(waiting: QueuedWrite[]): void {
    this.#waiting = [...waiting, ...this.#waiting]
    this.#isScheduled = true
    setTimeout(() => {
      this.#isScheduled = false
      this.#commit()
    }, busyPauseMs)
  }

  /** Writes recorded rows to the decision log. Returns a function that removes them if the commit fails. */
  #record(): (() => void) | undefined {
    if (this.#recorded.length === 0) return undefined
    const next = this.#deps.statement('update recorded set seq = seq + 1 returning seq')
    const [seq] = next.get() as readonly [number]
    return this.#deps.decisions!.append(seq, this.#recorded)
  }

  /**
   * The only write of a transaction: if it fails, the transaction does. It needs no savepoint, for which SQLite copies
   * each page before its first change: each statement costs more the more pages were copied.
   */
  #alone(one: QueuedWrite): DoneWrite {
    return { one, value: one.work() }
  }

  #attempt(one: QueuedWrite, done: DoneWrite[]): void {
    const { database, statement } = this.#deps
    statement('savepoint one').run()
    const before = this.#recorded.length
    try {
      done.push({ one, value: one.work() })
      statement('release one').run()
    } catch (error) {
      if (!database.inTransaction) throw error
      statement('rollback to one').run()
      this.#recorded.length = before
      statement('release one').run()
      if (done.at(-1)?.one === one) done.pop()
      one.reject(this.#explain(error))
    }
  }

  #explain(error: unknown): unknown {
    if (isUnwritable(error)) this.#unwritable = error
    return this.#deps.explain(error)
  }
}
