// The list of stacks: each row is a signal, so an event that changes one renders that one again. While a person is in
// the list, the rows keep their order.
import { signal, type Signal } from '@preact/signals'
import { packageName } from '../lib/text.js'
import { call } from './call.js'
import type { Changes } from './events.js'
import { LiveList } from './live-list.js'
import { entriesIn } from './paged-list.js'
import { rankOf, type StateWord } from './states.js'
import type { Page, StackRow } from './types.js'

/** `key`: as the list shows it. */
export type StackEntry =
  | { readonly kind: 'stack'; readonly key: string; readonly row: Signal<StackRow> }
  | { readonly kind: 'group'; readonly key: string; readonly group: string }

export const groupings = ['', 'state', 'target', 'package'] as const
export type Grouping = (typeof groupings)[number]

interface StackListOptions {
  /** Of the API, without paging. */
  readonly filter: URLSearchParams
  readonly group: Grouping
}

/** The most names of a request. */
const mostNames = 100

export class StackList extends LiveList<StackRow, StackEntry> {
  readonly #filter: URLSearchParams
  readonly #rows: Map<string, Signal<StackRow>>
  readonly #moved = new Set<string>()

  constructor({ filter, group }: StackListOptions) {
    const rows = new Map<string, Signal<StackRow>>()
    const toEntry = (row: StackRow): StackEntry => ({ kind: 'stack', key: row.name, row: rowSignal(rows, row) })
    super({
      path: `stacks?${filter}`,
      toEntries: (items, before) =>
        items.flatMap((row, at): readonly StackEntry[] => {
          const previous = at === 0 ? before : items[at - 1]
          const name = groupOf(group, row)
          if (group === '' || (previous !== undefined && groupOf(group, previous) === name)) return [toEntry(row)]
          return [{ kind: 'group', key: `group ${name}`, group: name }, toEntry(row)]
        }),
    })
    this.#filter = filter
    this.#rows = rows
  }

  protected override forgetNewer(): void {
    this.#moved.clear()
    super.forgetNewer()
  }

  protected override async updateInPlace({ reset, stacks }: Changes): Promise<void> {
    const loaded = new Set(entriesIn(this.data.value!).map(({ key }) => key))
    const shown = this.shownEntries().flatMap((entry) => (entry.kind === 'stack' ? [entry.key] : []))
    const changed = reset ? shown : [...stacks]
    const here = changed.filter((name) => loaded.has(name)).slice(0, mostNames)
    const others = changed.filter((name) => !loaded.has(name)).slice(0, mostNames)
    if (here.length > 0) this.#takeRows(here, await this.#read(here, new URLSearchParams()))
    if (others.length > 0) for (const { name } of await this.#read(others, this.#filter)) this.#moved.add(name)
    this.newer.value = this.#moved.size
  }

  #takeRows(names: readonly string[], found: readonly StackRow[]): void {
    for (const name of names) {
      const row = this.#rows.get(name)
      const now = found.find((one) => one.name === name)
      if (row === undefined || now === undefined || !this.#isInPlace(row.value, now)) this.#moved.add(name)
      if (row !== undefined && now !== undefined) setRow(row, now)
    }
  }

  /** Not if the value that the list is sorted or filtered by differs. */
  #isInPlace(before: StackRow, now: StackRow): boolean {
    const states = this.#filter.get('state')?.split(',') as readonly StateWord[] | undefined
    const key = keyBySort[(this.#filter.get('sort') ?? 'name').replace('-', '')] ?? keyBySort['name']!
    return key(before) === key(now) && (states?.includes(now.status.state) ?? true)
  }

  async #read(names: readonly string[], filter: URLSearchParams): Promise<readonly StackRow[]> {
    const query = new URLSearchParams(filter)
    query.set('names', names.join(','))
    return (await call<Page<StackRow>>('GET', `stacks?${query}&limit=${mostNames}`)).items
  }
}

const keyBySort: Readonly<Record<string, (row: StackRow) => string | number | undefined>> = {
  name: ({ name }) => name,
  needs: ({ status }) => rankOf(status.state),
  lastRun: ({ lastRun }) => lastRun?.id,
  lag: ({ status }) => Math.sign(status.lagMs),
  target: ({ target }) => target,
  package: (row) => packageOf(row),
}

/** Those used last come last, and the first ones are dropped. */
const mostRows = 2_000

function rowSignal(rows: Map<string, Signal<StackRow>>, row: StackRow): Signal<StackRow> {
  const known = rows.get(row.name)
  if (known !== undefined) setRow(known, row)
  const made = known ?? signal(row)
  rows.delete(row.name)
  rows.set(row.name, made)
  for (const name of rows.keys()) {
    if (rows.size <= mostRows) break
    rows.delete(name)
  }
  return made
}

/** An equal row renders nothing again. */
function setRow(row: Signal<StackRow>, now: StackRow): void {
  if (JSON.stringify(row.peek()) !== JSON.stringify(now)) row.value = now
}

function groupOf(group: Grouping, row: StackRow): string {
  return group === 'state' ? row.status.state : group === 'target' ? row.target : packageOf(row)
}

/** The package of the first source, as the matrix names it. */
export function packageOf({ sources: [source] }: StackRow): string {
  if (source === undefined) return ''
  if ('url' in source) return packageName(`${source.url}//${'path' in source ? (source.path ?? '') : ''}`)
  return 'directory' in source ? source.directory : source.kind
}
