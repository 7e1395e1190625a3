// The runs of all stacks, newest first, with the decisions of people between them. Runs that one move of a ref caused,
// and that ended alike, are one entry, unless each run is shown.
import { signal, type Signal } from '@preact/signals'
import { call } from './call.js'
import type { Changes } from './events.js'
import { LiveList } from './live-list.js'
import { entriesIn } from './paged-list.js'
import type { DecisionView, DeletedStackView, Page, StackRunRow } from './types.js'

export type HistoryEntry =
  | { readonly kind: 'runs'; readonly key: string; readonly at: string; readonly runs: Signal<readonly StackRunRow[]> }
  | { readonly kind: 'deletion'; readonly key: string; readonly at: string; readonly deletion: DeletedStackView }
  | { readonly kind: 'decision'; readonly key: string; readonly at: string; readonly decision: DecisionView }

export interface HistoryOptions {
  /** Of the API. */
  readonly filter: URLSearchParams
  /** Decisions and deletions that pass it. */
  readonly isWanted: (one: DecisionView | DeletedStackView) => boolean
  readonly isGrouped: boolean
}

export class HistoryList extends LiveList<StackRunRow, HistoryEntry> {
  readonly #path: string
  readonly #decisions: Between<DecisionView>
  readonly #deletions: Between<DeletedStackView>

  constructor({ filter, isWanted, isGrouped }: HistoryOptions) {
    const path = `runs?${filter}`
    const decisions = new Between<DecisionView>('channels/decisions', isWanted)
    const deletions = new Between<DeletedStackView>('deleted-stacks', isWanted)
    super({
      path,
      prepare: async (runs) => {
        const oldest = runs.at(-1)?.createdAt
        await Promise.all([decisions.readUntil(oldest), deletions.readUntil(oldest)])
      },
      toEntries: (runs, before) =>
        entriesOf(runs, {
          decisions: decisions.between(before?.createdAt, runs.at(-1)?.createdAt),
          deletions: deletions.between(before?.createdAt, runs.at(-1)?.createdAt),
          isGrouped,
        }),
    })
    this.#path = path
    this.#decisions = decisions
    this.#deletions = deletions
  }

  protected override forgetNewer(): void {
    this.#decisions.forget()
    this.#deletions.forget()
    super.forgetNewer()
  }

  protected override async updateInPlace(_: Changes): Promise<void> {
    const { items } = await call<Page<StackRunRow>>('GET', `${this.#path}&limit=100`)
    const fresh = new Map(items.map((run) => [run.id, run]))
    for (const entry of entriesIn(this.data.value!)) {
      if (entry.kind !== 'runs') continue
      const now = entry.runs.peek().map((run) => fresh.get(run.id) ?? run)
      for (const { id } of now) fresh.delete(id)
      if (JSON.stringify(entry.runs.peek()) !== JSON.stringify(now)) entry.runs.value = now
    }
    this.newer.value = fresh.size
  }
}

/** What happened between runs, newest first, read as far back as the runs that are shown. */
class Between<Item extends { readonly at: string }> {
  readonly #path: string
  readonly #isWanted: (item: Item) => boolean
  #items: readonly Item[] = []
  #next: string | null = ''

  constructor(path: string, isWanted: (item: Item) => boolean) {
    this.#path = path
    this.#isWanted = isWanted
  }

  forget(): void {
    this.#items = []
    this.#next = ''
  }

  /** undefined: all of them. */
  async readUntil(at = ''): Promise<void> {
    while (this.#next !== null && (this.#items.at(-1)?.at ?? '~') >= at) {
      const cursor: string = this.#next === '' ? '' : `&after=${encodeURIComponent(this.#next)}`
      const before = this.#items
      const page: Page<Item> = await call('GET', `${this.#path}?limit=100${cursor}`)
      if (this.#items !== before) continue // another call was faster, or began anew
      this.#items = [...before, ...page.items]
      this.#next = page.next
    }
  }

  between(newest = '~', oldest = ''): readonly Item[] {
    return this.#items.filter((one) => one.at < newest && one.at >= oldest && this.#isWanted(one))
  }
}

function entriesOf(
  runs: readonly StackRunRow[],
  {
    decisions,
    deletions,
    isGrouped,
  }: {
    readonly decisions: readonly DecisionView[]
    readonly deletions: readonly DeletedStackView[]
    readonly isGrouped: boolean
  },
): readonly HistoryEntry[] {
  const groups = new Map<string, readonly StackRunRow[]>()
  for (const run of runs) {
    const isMove = isGrouped && (run.cause.kind === 'commit' || run.cause.kind === 'tag-moved')
    const key = isMove ? `${run.cause.ref} ${run.cause.to} ${run.outcome}` : run.id
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  const entries: readonly HistoryEntry[] = [
    ...[...groups.values()].map((some) => ({
      kind: 'runs' as const,
      key: `run ${some[0]!.id}`,
      at: some[0]!.createdAt,
      runs: signal(some),
    })),
    ...deletions.map((one) => ({ kind: 'deletion' as const, key: `deletion ${one.seq}`, at: one.at, deletion: one })),
    ...decisions.map((one) => ({ kind: 'decision' as const, key: `decision ${one.id}`, at: one.at, decision: one })),
  ]
  return [...entries].sort((a, b) => b.at.localeCompare(a.at))
}
