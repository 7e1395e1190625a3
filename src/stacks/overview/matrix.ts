// Which package is deployed where, and at which commits.
import { compareText } from '../../lib/text/compare-text.js'
import { groupBy } from '../../lib/group-by.js'
import { memoize } from '../../lib/memoize.js'
import { hashDigits, sourceRevisions } from '../../model/sources/revision.js'
import { normaliseAddress } from '../../settings/source-address.js'
import { states } from '../../status/status.js'
import type { StackGroup } from '../../store/feed.js'
import type { MatrixCell, MatrixPage } from '../../views/overview.js'
import type { Context } from '../context.js'
import { nextCursor, type Paging } from '../paging.js'
import { liveRows } from '../status/row-states.js'
import { currentGroups } from './groups.js'

/** Whose identity is kept. */
const mostPackages = 20_000

/** The most commits of a cell. */
const mostCommits = 5

export interface MatrixQuery extends Paging {
  /** Only this one: the locations of its sources. */
  readonly package?: string
  /** Only the packages on this target. */
  readonly target?: string
}

/** A row for each package, in the order of their locations. */
export async function getMatrix(
  context: Context,
  { limit = 100, after = '', package: only, target: onlyTarget }: MatrixQuery,
): Promise<MatrixPage> {
  const wanted = only === undefined ? undefined : packageIdentity(only)
  const groups = (await currentGroups(context, await liveRows(context)))
    .map((group) => ({ ...group, package: packageIdentity(group.package) }))
    .filter(({ package: where, target }) => (wanted ?? where) === where && (onlyTarget ?? target) === target)
  const rows = [...groupBy(groups, (group) => group.package)]
    .filter(([name]) => compareText(name, after) > 0)
    .toSorted(([a], [b]) => compareText(a, b))
    .slice(0, limit)
  const items = rows.map(([name, some]) => ({
    package: name,
    cells: [...groupBy(some, ({ target }) => target)]
      .map(([target, of]) => viewCell(target, of))
      .toSorted((a, b) => compareText(a.target, b.target)),
  }))
  const columns = [...new Set(groups.map(({ target }) => target))].toSorted(compareText)
  const total = new Set(groups.map((group) => group.package)).size
  return { columns, total, items, next: nextCursor(items, limit, (row) => row.package) }
}

/** The locations of sources, with one form for all addresses of a remote, as channels have it. */
const packageIdentity = memoize(mostPackages, (locations: string): string =>
  locations
    .split(' ')
    .map((location) => {
      const path = location.indexOf('//', location.indexOf('://') + 3)
      const [address, rest] = path < 0 ? [location, ''] : [location.slice(0, path), location.slice(path)]
      try {
        return normaliseAddress(address) + rest
      } catch {
        return location // of another kind of source
      }
    })
    .join(' '),
)

function viewCell(target: string, groups: readonly StackGroup[]): MatrixCell {
  const stacks = groups.reduce((sum, group) => sum + group.stacks, 0)
  const worst = states.find((state) => groups.some((group) => group.state === state))!
  const counts = new Map<string, number>()
  for (const { applied, stacks: several } of groups)
    for (const part of applied === null ? [] : sourceRevisions(applied)) {
      const commit = hashDigits(part)
      counts.set(commit, (counts.get(commit) ?? 0) + several)
    }
  const commits = [...counts].toSorted(([, a], [, b]) => b - a).map(([commit]) => commit)
  const name = stacks === 1 ? groups[0]!.first : null
  return { target, stacks, stack: name, worst, commits: commits.slice(0, mostCommits), commitCount: commits.length }
}
