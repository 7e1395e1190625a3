// `stack list --watch`: prints the list, then every row that changes.
import { systemClock } from '../../../lib/clock.js'
import { printable } from '../../../lib/text/printable.js'
import type { StackRow } from '../../../views/stack.js'
import { readPages, maximumListItems } from '../../client/all-pages.js'
import type { ClientRequest } from '../../client/client.js'
import { exitCode } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { stackListLines, stackTable, type ListShown } from '../../text/stack-text.js'
import type { Display } from '../../text/text.js'
import { watchEvents } from '../../client/watch-events.js'

type Query = NonNullable<ClientRequest['query']>

/** Reads rows that change within this time together. */
const debounceMs = 150
/** For more changed rows than this, reads the whole list. */
const reloadThreshold = 20

const path = '/api/v1/stacks'

/** Runs until Ctrl-C. Redraws the list in place if it fits on the terminal; otherwise prints changed rows below. */
export async function watchStacks(cli: Invocation, query: Query, shown: ListShown): Promise<number> {
  const list = new WatchedList(cli, query, shown)
  await watchEvents(cli, {}, async ({ type, stack }) => {
    if (type === 'open' || type === 'reset') await list.readAll()
    else if (stack !== null) list.changed(stack)
  })
  return exitCode.ok
}

class WatchedList {
  readonly #cli: Invocation
  readonly #query: Query
  readonly #shown: ListShown
  #rows = new Map<string, StackRow>()
  #changed = new Set<string>()
  #reading = false
  /** Lines to redraw; undefined: nothing was printed yet. */
  #drawn: number | undefined

  constructor(cli: Invocation, query: Query, shown: ListShown) {
    this.#cli = cli
    this.#query = query
    this.#shown = shown
  }

  async readAll(): Promise<void> {
    const { items } = await readPages<StackRow>(this.#cli.client, path, this.#query, maximumListItems)
    this.#show(new Map(items.map((row) => [row.name, row])))
  }

  changed(name: string): void {
    this.#changed.add(name)
    if (!this.#reading) void this.#readChanged()
  }

  /** Errors are ignored: if the agent stops, the event stream breaks off, too, and starts with the whole list. */
  async #readChanged(): Promise<void> {
    this.#reading = true
    try {
      while (this.#changed.size > 0) {
        await systemClock.sleep(debounceMs, this.#cli.signal)
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

  /** Reads these rows again. Reads the whole list for a new row, because only the list has its position. */
  async #readSome(names: readonly string[]): Promise<void> {
    const read = new Map(await Promise.all(names.map((name) => this.#readOne(name))))
    if ([...read].some(([name, row]) => row !== undefined && !this.#rows.has(name))) return this.readAll()
    const rows = [...this.#rows].map(([name, row]): [string, StackRow | undefined] => [
      name,
      read.has(name) ? read.get(name) : row,
    ])
    this.#show(new Map(rows.filter((entry): entry is [string, StackRow] => entry[1] !== undefined)))
  }

  /** The name and its row; undefined: the stack is deleted, or the filter omits it. */
  async #readOne(name: string): Promise<readonly [string, StackRow | undefined]> {
    if (!this.#matchesName(name)) return [name, undefined]
    const { items } = await readPages<StackRow>(this.#cli.client, path, { ...this.#query, name }, maximumListItems)
    return [name, items.find((row) => row.name === name)]
  }

  /** Each row is read by its name, which replaces the filter by name. */
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
    const { out } = this.#cli
    if (out.json) return out.items([...changed, ...gone.map((name) => ({ deleted: name }))])
    const lines = (display: Display): readonly string[] => stackListLines([...rows.values()], display, this.#shown)
    const drawn = out.redraw(this.#drawn, lines)
    this.#drawn = drawn ?? 0
    if (drawn === undefined) this.#append({ changed, gone, isFirst })
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
    const { out } = this.#cli
    const shown = { ...this.#shown, whole: true }
    out.lines((display) => {
      const all = [...this.#rows.values()]
      if (isFirst) return stackListLines(all, display, shown)
      const { rows } = stackTable(all, display, shown)
      const rowLines = changed.flatMap((row) => rows[all.indexOf(row)] ?? [])
      return [...rowLines, ...gone.map((name) => `${printable(name)}  deleted`)]
    })
  }
}

/** The row without times of polls and drift checks, which are not shown. */
function visibleState(row: StackRow | undefined): string {
  return JSON.stringify({ ...row, nextPollAt: null, checkedAt: null })
}
