import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.js'
import type {
  CommitStatus,
  FullMessage,
  Message,
  MessageKind,
  MessageState,
  StackReport,
  Transition,
} from '../../model/agent/message.js'
import type { PageRequest } from '../page-request.js'
import type {
  AttemptEnd,
  MessageTable,
  PendingMessages,
  ReceiverTransitions,
  ReportedChanges,
} from '../message-table.js'
import type { SqliteFile } from './file/sqlite-file.js'
import { nextMessage } from './next-message.js'
import { idBefore } from './tables/id-before.js'
import type { Tables } from './tables/tables.js'

/** Messages of each receiver: pending ones, ended ones that are kept, and transitions stored with one message. */
export const messagesKept = { pending: 1_000, ended: 1_000, days: 30, transitions: 1_000 }

const dayMs = 86_400_000
/** The row that says that stacks are watched. No stack has this id. */
const watching = ''

type MessageRow = Omit<Tables['messages'], 'id'> & { readonly id: unknown }

export class SqliteMessages implements MessageTable {
  readonly #file: SqliteFile
  readonly #clock: Clock

  constructor(file: SqliteFile, clock: Clock) {
    this.#file = file
    this.#clock = clock
  }

  isWatching(): Promise<boolean> {
    const row = this.#file.build.selectFrom('stack_reports').select('stack').where('stack', '=', watching)
    return this.#file.read(() => this.#file.get(row) !== undefined)
  }

  async stopWatching(): Promise<void> {
    if (!(await this.isWatching())) return
    const row = this.#file.build.deleteFrom('stack_reports').where('stack', '=', watching)
    await this.#file.write(() => void this.#file.run(row))
  }

  reports(stacks: readonly string[]): Promise<ReadonlyMap<string, StackReport>> {
    const query = sql<{ readonly report: string }>`
      select report from stack_reports where stack in (select value from json_each(${JSON.stringify(stacks)}))`
    return this.#file.read(() => new Map(this.#file.all(query).map((row) => [toReport(row).stack, toReport(row)])))
  }

  deletedStacks(): Promise<readonly StackReport[]> {
    const query = sql<{ readonly report: string }>`
      select report from stack_reports where stack <> ${watching} and stack not in (select id from stacks) limit 500`
    return this.#file.read(() => this.#file.all(query).map(toReport))
  }

  record({ reports, removed, transitions, statuses }: ReportedChanges): Promise<ReadonlyMap<string, number>> {
    return this.#file.write(() => {
      for (const report of [{ stack: watching }, ...reports]) this.#keepReport(report)
      for (const stack of removed)
        this.#file.run(this.#file.build.deleteFrom('stack_reports').where('stack', '=', stack))
      for (const some of transitions) this.#join(some)
      for (const { receiver, status } of statuses) this.#addStatus(receiver, status)
      const receivers = new Set([...transitions, ...statuses].map(({ receiver }) => receiver))
      return new Map([...receivers].map((receiver) => [receiver, this.#prune(receiver)]))
    })
  }

  next(receiver: string, { begun }: { readonly begun: boolean } = { begun: false }): Promise<Message | undefined> {
    const query = nextMessage<MessageRow>(receiver, { begun, transitions: messagesKept.transitions })
    return this.#file.read(() => {
      const row = this.#file.get(query)
      return row && toMessage(row)
    })
  }

  begin(id: string): Promise<FullMessage | undefined> {
    const begun = this.#file.build.updateTable('messages').set({ attempts: sql<number>`attempts + 1` })
    const pending = begun.where('id', '=', Number(id)).where('state', '=', 'pending')
    return this.#file.write(() => (this.#file.run(pending).changes === 0 ? undefined : this.#full(id)))
  }

  end(id: string, { state, status, error, dueAt }: AttemptEnd): Promise<void> {
    const now = this.#clock.now()
    const set = { state, status, error, ...(state === 'pending' ? { due_at: dueAt ?? now } : { ended_at: now }) }
    const ended = this.#file.build.updateTable('messages').set(set).where('id', '=', Number(id))
    // One that was superseded during the attempt arrived all the same.
    const states = state === 'sent' ? ['pending', 'superseded'] : ['pending']
    const open = ended.where((where) => where.or([where('state', 'in', states), where('kind', '=', 'test')]))
    const answered = this.#file.build.updateTable('messages').set({ status, error }).where('id', '=', Number(id))
    return this.#file.write(() => {
      this.#file.run(open)
      this.#file.run(answered.where('state', '=', 'superseded'))
    })
  }

  addTest(receiver: string): Promise<FullMessage> {
    return this.#file.write(() => {
      const now = this.#clock.now()
      const unfinished = { state: 'failed', error: 'The agent stopped meanwhile.', ended_at: now } as const
      const id = this.#add({ receiver, kind: 'test', attempts: 1, due_at: now, ...unfinished })
      this.#prune(receiver)
      return this.#full(id)!
    })
  }

  again(id: string): Promise<boolean> {
    const now = this.#clock.now()
    return this.#file.write(() => {
      const message = this.#full(id)
      if (message === undefined || this.#hasNewerStatus(message)) return false
      const set = { state: 'pending', attempts: 1, due_at: now, ended_at: null, created_at: now } as const
      this.#file.run(this.#file.build.updateTable('messages').set(set).where('id', '=', Number(id)))
      return true
    })
  }

  get(id: string): Promise<FullMessage | undefined> {
    if (!/^[1-9]\d{0,14}$/.test(id)) return Promise.resolve(undefined)
    return this.#file.read(() => this.#full(id))
  }

  async list(receiver: string | undefined, { limit, after }: PageRequest): Promise<readonly Message[]> {
    const all = this.#file.build
      .selectFrom('messages')
      .selectAll()
      .where('id', '<', idBefore(after))
      .orderBy('id', 'desc')
      .limit(limit)
    const query = receiver === undefined ? all : all.where('receiver', '=', receiver)
    return this.#file.read(() => this.#file.all(query).map(toMessage))
  }

  lastAttempted(receiver: string): Promise<Message | undefined> {
    const query = this.#file.build.selectFrom('messages').selectAll().where('receiver', '=', receiver)
    return this.#file.read(() => {
      const row = this.#file.get(query.where('attempts', '>', 0).orderBy('id', 'desc').limit(1))
      return row && toMessage(row)
    })
  }

  pending(): Promise<readonly PendingMessages[]> {
    const query = sql<PendingMessages>`
      select receiver, count(*) as count, min(created_at) as oldestAt from messages
      where state = 'pending' group by receiver`
    return this.#file.read(() => this.#file.all(query))
  }

  #keepReport(report: { readonly stack: string }): void {
    const row = { stack: report.stack, report: JSON.stringify(report) }
    const insert = this.#file.build.insertInto('stack_reports').values(row)
    this.#file.run(insert.onConflict((on) => on.column('stack').doUpdateSet({ report: row.report })))
  }

  /** Adds transitions to the message that waits for more, or to a new one. */
  #join({ receiver, transitions, digestMs, everyMs }: ReceiverTransitions): void {
    if (transitions.length === 0) return
    const open = this.#file.get(
      this.#pending(receiver)
        .where('kind', '=', 'notification')
        .where('attempts', '=', 0)
        .orderBy('id', 'desc')
        .limit(1),
    )
    const id = open === undefined ? this.#addDigest(receiver, digestMs, everyMs) : String(open.id)
    const counts: Record<string, number> = open === undefined ? {} : (JSON.parse(open.counts) as Record<string, number>)
    const stored = Object.values(counts).reduce((sum, count) => sum + count, 0)
    for (const { kind } of transitions) counts[kind] = (counts[kind] ?? 0) + 1
    for (const one of transitions.slice(0, Math.max(0, messagesKept.transitions - stored)))
      this.#file.run(
        this.#file.build.insertInto('transitions').values({ message: Number(id), transition: JSON.stringify(one) }),
      )
    const set = { counts: JSON.stringify(counts) }
    this.#file.run(this.#file.build.updateTable('messages').set(set).where('id', '=', Number(id)))
  }

  #addDigest(receiver: string, digestMs: number, everyMs: number): string {
    const last = this.#file.get(sql<{ readonly at: number | null }>`
      select max(ended_at) as at from messages
      where receiver = ${receiver} and kind = 'notification' and state = 'sent'`)
    const due = Math.max(this.#clock.now() + digestMs, (last?.at ?? 0) + everyMs)
    return this.#add({ receiver, kind: 'notification', due_at: due })
  }

  #addStatus(receiver: string, status: CommitStatus): void {
    const subject = subjectOf(status)
    const superseded = this.#file.build
      .updateTable('messages')
      .set({ state: 'superseded', ended_at: this.#clock.now() })
    this.#file.run(
      superseded.where('state', '=', 'pending').where('receiver', '=', receiver).where('subject', '=', subject),
    )
    this.#add({ receiver, kind: 'status', subject, content: JSON.stringify(status), due_at: this.#clock.now() })
  }

  #add(
    row: Pick<Tables['messages'], 'receiver' | 'due_at'> &
      Partial<Omit<Tables['messages'], 'id'>> & { readonly kind: MessageKind },
  ): string {
    const values = {
      key: randomUUID(),
      subject: null,
      state: 'pending' as const,
      content: null,
      counts: '{}',
      created_at: this.#clock.now(),
      attempts: 0,
      ended_at: null,
      status: null,
      error: '',
      ...row,
    }
    return String(this.#file.run(this.#file.build.insertInto('messages').values(values)).id)
  }

  #hasNewerStatus({ id, receiver, commit }: Message): boolean {
    if (commit === null) return false
    const same = this.#file.build.selectFrom('messages').select('id').where('receiver', '=', receiver)
    return this.#file.get(same.where('subject', '=', subjectOf(commit)).where('id', '>', Number(id))) !== undefined
  }

  #pending(receiver: string) {
    return this.#file.build
      .selectFrom('messages')
      .selectAll()
      .where('receiver', '=', receiver)
      .where('state', '=', 'pending')
  }

  #full(id: string): FullMessage | undefined {
    const row = this.#file.get(this.#file.build.selectFrom('messages').selectAll().where('id', '=', Number(id)))
    if (row === undefined) return undefined
    const query = this.#file.build.selectFrom('transitions').select('transition').where('message', '=', Number(id))
    const transitions = this.#file.all(query.orderBy('seq')).map((one) => JSON.parse(one.transition) as Transition)
    return { ...toMessage(row), transitions }
  }

  /** Drops the oldest pending messages beyond the limit, and deletes old ones. Returns how many it dropped. */
  #prune(receiver: string): number {
    const { pending, ended, days } = messagesKept
    const now = this.#clock.now()
    const dropped = this.#file.run(sql`
      update messages set state = 'dropped', ended_at = ${now}, error = 'Too many messages were pending.'
      where receiver = ${receiver} and state = 'pending' and id <= (
        select id from messages where receiver = ${receiver} and state = 'pending'
        order by id desc limit 1 offset ${pending})`).changes
    const old = this.#file.build.deleteFrom('messages').where('receiver', '=', receiver).where('state', '!=', 'pending')
    const newest = sql<number>`(select id from messages where receiver = ${receiver} and state <> 'pending'
      order by id desc limit 1 offset ${ended})`
    this.#file.run(old.where('id', '<=', newest))
    this.#file.run(old.where('created_at', '<', now - days * dayMs))
    return dropped
  }
}

/** Of two statuses with the same subject the newer one counts. */
function subjectOf({ stack, remote, commit }: CommitStatus): string {
  return `${stack} ${commit} ${remote}`
}

function toReport({ report }: { readonly report: string }): StackReport {
  return JSON.parse(report) as StackReport
}

function toMessage(row: MessageRow): Message {
  return {
    id: String(row.id),
    key: row.key,
    receiver: row.receiver,
    kind: row.kind as MessageKind,
    state: row.state as MessageState,
    createdAt: row.created_at,
    dueAt: row.due_at,
    attempts: row.attempts,
    endedAt: row.ended_at,
    status: row.status,
    error: row.error,
    counts: JSON.parse(row.counts) as Message['counts'],
    commit: row.content === null ? null : (JSON.parse(row.content) as CommitStatus),
  }
}
