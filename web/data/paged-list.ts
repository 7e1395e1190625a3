// A long list, read in pages as it is scrolled. Pages that were not shown for long are dropped, and read again when
// they are shown.
import { signal } from '@preact/signals'
import { now } from '../lib/time.js'
import { call, CallError } from './call.js'
import { retryMs, type Read } from './read.js'
import type { Page } from './types.js'

const pageSize = 100
const mostPages = 20

interface Slot<Item, Entry> {
  /** The cursor of the page; empty: of the first one. */
  readonly after: string
  /** The last item of the page before. */
  readonly before: Item | undefined
  readonly items: number
  readonly size: number
  /** undefined: dropped. */
  readonly entries: readonly Entry[] | undefined
}

export interface ListState<Item, Entry> {
  readonly slots: readonly Slot<Item, Entry>[]
  readonly last: Item | undefined
  /** The cursor of the page after them; null: there is none. */
  readonly next: string | null
  /** Of items on all pages; undefined: not known. */
  readonly total: number | undefined
}

export interface ListSource<Item, Entry> {
  /** Of the API, with a `?` and filters, without paging. */
  readonly path: string
  /** What is shown of the items of a page. `before`: the last item of the page before. */
  readonly toEntries: (items: readonly Item[], before: Item | undefined) => readonly Entry[]
  /** Reads what else `toEntries` needs for these items. */
  readonly prepare?: (items: readonly Item[]) => Promise<void>
}

type ItemPage<Item> = Page<Item> & { readonly total?: number }

export class PagedList<Item, Entry> implements Read<ListState<Item, Entry>> {
  readonly data = signal<ListState<Item, Entry> | undefined>(undefined)
  readonly error = signal<CallError | undefined>(undefined)
  readonly readAt = signal(0)
  readonly #source: ListSource<Item, Entry>
  #wanted = { from: 0, to: 0 }
  #isReading = false
  #isOpen = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(source: ListSource<Item, Entry>) {
    this.#source = source
  }

  /** Begins to read. Returns a function that ends it. */
  open(): () => void {
    this.#isOpen = true
    void this.again()
    return () => {
      this.#isOpen = false
      clearTimeout(this.#timer)
    }
  }

  /** Reads the first page; the others when they are shown. What is shown stays until then. */
  readonly again = (): Promise<void> => this.readAgain(() => true)

  /** The same. `isWanted`: asked when the page is there; false: what is shown stays. */
  protected async readAgain(isWanted: () => boolean): Promise<void> {
    await this.#attempt(this.again, async () => {
      const page = await this.#read('')
      if (!isWanted()) return
      this.data.value = withPage({ slots: [], last: undefined, next: null, total: undefined }, '', this.#slot(page))
    })
    this.#readWanted()
  }

  /** Entries from `from` to before `to` are shown, or soon will be. */
  want(from: number, to: number): void {
    this.#wanted = { from, to }
    this.#readWanted()
  }

  protected shownEntries(): readonly Entry[] {
    const { from, to } = this.#wanted
    const state = this.data.value
    if (state === undefined) return []
    return Array.from({ length: to - from }, (_, at) => entryAt(state, from + at)).filter(
      (entry) => entry !== undefined,
    )
  }

  #readWanted(): void {
    if (this.#isReading || this.error.value !== undefined || this.#missing() === undefined) return
    this.#isReading = true
    const retry = (): void => {
      this.error.value = undefined
      this.#readWanted()
    }
    void this.#attempt(retry, async () => {
      for (let after = this.#missing(); after !== undefined && this.#isOpen; after = this.#missing()) {
        const state = this.data.value!
        const page = await this.#read(after)
        if (this.data.value !== state) continue // read again meanwhile
        const known = state.slots.find((slot) => slot.after === after)
        const filled = withPage(state, after, this.#slot(page, known === undefined ? state.last : known.before, after))
        this.data.value = withoutFarPages(filled, this.#wanted)
      }
    }).finally(() => (this.#isReading = false))
  }

  /** The cursor of the first wanted page that is not there. */
  #missing(): string | undefined {
    const state = this.data.value
    if (state === undefined) return undefined
    const { from, to } = this.#wanted
    let start = 0
    for (const { after, size, entries } of state.slots) {
      if (entries === undefined && start < to && start + size > from) return after
      start += size
    }
    return start < to ? (state.next ?? undefined) : undefined
  }

  #slot(page: ItemPage<Item>, before?: Item, after = ''): Filled<Item, Entry> {
    const entries = this.#source.toEntries(page.items, before)
    return { page, slot: { after, before, items: page.items.length, size: entries.length, entries } }
  }

  async #read(after: string): Promise<ItemPage<Item>> {
    const { path, prepare } = this.#source
    const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const page = await call<ItemPage<Item>>('GET', `${path}&limit=${pageSize}${cursor}`)
    await prepare?.(page.items)
    return page
  }

  async #attempt(retry: () => unknown, read: () => Promise<void>): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await read()
      this.error.value = undefined
      this.readAt.value = now.peek()
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      this.error.value = error
      if (error.isPassing && this.#isOpen) this.#timer = setTimeout(() => void retry(), retryMs)
    }
  }
}

interface Filled<Item, Entry> {
  readonly page: ItemPage<Item>
  readonly slot: Slot<Item, Entry>
}

function withPage<Item, Entry>(
  state: ListState<Item, Entry>,
  after: string,
  { page, slot }: Filled<Item, Entry>,
): ListState<Item, Entry> {
  const at = state.slots.findIndex((one) => one.after === after)
  const total = page.total ?? state.total
  if (at >= 0) return { ...state, total, slots: state.slots.with(at, slot) }
  return { slots: [...state.slots, slot], last: page.items.at(-1) ?? state.last, next: page.next, total }
}

/** Drops the entries of the pages that are the farthest from those that are shown. */
function withoutFarPages<Item, Entry>(
  state: ListState<Item, Entry>,
  { from, to }: { readonly from: number; readonly to: number },
): ListState<Item, Entry> {
  const loaded = state.slots.filter(({ entries }) => entries !== undefined)
  if (loaded.length <= mostPages) return state
  const starts = new Map<Slot<Item, Entry>, number>()
  let start = 0
  for (const slot of state.slots) {
    starts.set(slot, start)
    start += slot.size
  }
  const distance = (slot: Slot<Item, Entry>): number => Math.abs(starts.get(slot)! + slot.size / 2 - (from + to) / 2)
  const kept = new Set([...loaded].sort((a, b) => distance(a) - distance(b)).slice(0, mostPages))
  return { ...state, slots: state.slots.map((slot) => (kept.has(slot) ? slot : { ...slot, entries: undefined })) }
}

/** How many entries there are, with those that are not read yet: a page of them, if their number is not known. */
export function entryCount({ slots, next, total }: ListState<unknown, unknown>): number {
  const known = slots.reduce((sum, { size }) => sum + size, 0)
  if (next === null) return known
  const items = slots.reduce((sum, one) => sum + one.items, 0)
  return known + (total === undefined ? pageSize : Math.max(1, total - items))
}

/** undefined: not read yet, or dropped. */
export function entryAt<Entry>({ slots }: ListState<unknown, Entry>, index: number): Entry | undefined {
  let start = 0
  for (const { size, entries } of slots) {
    if (index < start + size) return entries?.[index - start]
    start += size
  }
  return undefined
}

export function entriesIn<Entry>({ slots }: ListState<unknown, Entry>): readonly Entry[] {
  return slots.flatMap(({ entries }) => entries ?? [])
}
