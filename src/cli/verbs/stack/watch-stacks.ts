// `stack list --watch`: the list, and then every row that changed.
import { systemClock } from '../../../lib/clock.js'
import { printable } from '../../../lib/printable.js'
import type { Page } from '../../../views/page.js'
import type { StackRow } from '../../../views/stack.js'
import { readPages, maximumListItems } from '../../client/all-pages.js'
import type { ClientRequest } from '../../client/client.js'
import { exitCode } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { stackListLines } from '../../text/stack-text.js'
import { watchEvents } from '../../client/watch-events.js'

type Query = NonNullable<ClientRequest['query']>

/** Changes that come together are asked for together. */
const debounceMs = 150
/** Beyond so many rows the whole list is asked for. */
const reloadThreshold = 20

const path = '/api/v1/stacks'

/**
 * Goes on until Ctrl-C. On a terminal the list is drawn anew in its place, as long as it has room there; else what
 * changed is printed below.
 */
export async function watchStacks(at: Invocation, query: Query, filtered: boolean): Promise<number> {
  const list = new WatchedList(at, query, filtered)
  await watchEvents(at, {}, async ({ type, stack }) => {
    if (type === 'open' || type === 'reset') await list.readAll()
    else if (stack !== null) list.changed(stack)
  })
  return exitCode.ok
}

class WatchedList {
  readonly #at: Invocation
  readonly #query: Query
  readonly #filtered: boolean
  #rows = new Map<string, StackRow>()
  #changed = new Set<string>()
  #reading = false
  /** Lines that stand on the terminal; undefined: nothing was printed yet. */
  #drawn: number | undefined

  constructor(at: Invocation, query: Query, filtered: boolean) {
    this.#at = at
    this.#query = query
    this.#filtered = filtered
  }

  async readAll(): Promise<void> {
    const { items } = await readPages<StackRow>(this.#at.client, path, this.#query, maximumListItems)
    this.#show(new Map(items.map((row) => [row.name, row])))
  }

  changed(name: string): void {
    this.#changed.add(name)
    if (!this.#reading) void this.#readChanged()
  }

  /** The agent may go away meanwhile: then the stream breaks off, too, and begins with the whole list. */
  async #readChanged(): Promise<void> {
    this.#reading = true
    try {
      while (this.#changed.size > 0) {
        await systemClock.sleep(debounceMs, this.#at.signal)
        const names = [...this.#changed]
        this.#changed = new Set()
        if (names.length > reloadThreshold || this.#query['sort'] !== undefined) await this.readAll()
        else await this.#readSome(names)
      }
    } catch {
      this.#changed = new Set()
    } finally {
      this.#reading = false
    }
  }

  /**
   * These rows anew; what the filter does not let through any more is gone. Where a new one stands only the whole list
   * tells.
   */
  async #readSome(names: readonly string[]): Promise<void> {
    const read = new Map<string, StackRow | undefined>()
    for (const name of names) {
      const { items } = await this.#at.client.request<Page<StackRow>>('GET', path, {
        query: { ...this.#query, name, limit: 500 },
      })
      read.set(name, this.#matchesName(name) ? items.find((row) => row.name === name) : undefined)
    }
    if ([...read].some(([name, row]) => row !== undefined && !this.#rows.has(name))) return this.readAll()
    const rows = [...this.#rows].map(([name, row]): [string, StackRow | undefined] => [
      name,
      read.has(name) ? read.get(name) : row,
    ])
    this.#show(new Map(rows.filter((entry): entry is [string, StackRow] => entry[1] !== undefined)))
  }

  /** Its name is asked for in place of what the filter wants of names. */
  #matchesName(name: string): boolean {
    return name.includes(String(this.#query['name'] ?? ''))
  }

  #show(rows: Map<string, StackRow>): void {
    const before = this.#rows
    this.#rows = rows
    const changed = [...rows.values()].filter((row) => visibleState(row) !== visibleState(before.get(row.name)))
    const gone = [...before.keys()].filter((name) => !rows.has(name))
    const isFirst = this.#drawn === undefined
    if (!isFirst && changed.length === 0 && gone.length === 0) return
    this.#drawn ??= 0
    const { out } = this.#at
    if (out.json) out.items([...changed, ...gone.map((name) => ({ deleted: name }))])
    else if (out.rows !== undefined && rows.size + 2 < out.rows)
      this.#drawn = out.draw(this.#drawn, (look) => stackListLines([...rows.values()], look, this.#filtered))
    else this.#append({ changed, gone, isFirst })
  }

  #append({
    changed,
    gone,
    isFirst,
  }: {
    readonly changed: readonly StackRow[]
    readonly gone: readonly string[]
    readonly isFirst: boolean
  }): void {
    const { out } = this.#at
    this.#drawn = 0
    out.lines((look) => {
      const all = [...this.#rows.values()]
      const lines = stackListLines(all, look, this.#filtered)
      if (isFirst) return lines
      const rowLines = changed.map((row) => lines[1 + all.indexOf(row)] ?? '')
      return [...rowLines, ...gone.map((name) => `${printable(name)}  deleted`)]
    })
  }
}

/** What a person may notice of a row: not when something is looked at next. */
function visibleState(row: StackRow | undefined): string {
  return JSON.stringify({ ...row, nextPollAt: null, checkedAt: null })
}
