// Which commit of which package is on which target: a matrix. A large one has counts, and one package or one target of
// it can be opened.
import { useRead } from '../data/read.js'
import type { MatrixPage } from '../data/overview.js'
import { go, query, withQuery } from '../lib/route.js'
import { counted, cutNames, naturally, packageName } from '../lib/text.js'
import { Commit, Empty, State } from '../parts/basics.js'
import { Icon } from '../parts/icon.js'
import { Link } from '../parts/link.js'
import { Loaded, Section } from '../parts/section.js'
import { Cell, cellAddress, CountCell, type VersionCell } from './version-cell.js'

/** Above these, cells are counts. */
const mostColumns = 12
const mostRows = 50
/** More columns than a person can compare. */
const mostCountColumns = 60
/** Of names in the matrix. Longer ones have their middle cut, and a title. */
const mostPackageCharacters = 40
const mostTargetCharacters = 24

export function Versions() {
  const { value } = query
  const [name, target, after] = [value.get('package'), value.get('target'), value.get('after')]
  const filter = {
    ...(name !== null && { package: name }),
    ...(target !== null && { target }),
    ...(after !== null && { after }),
    limit: target === null ? String(mostRows) : '500',
  }
  const read = useRead<MatrixPage>(`overview/matrix?${new URLSearchParams(filter)}`)
  const opened = name !== null ? packageName(name) : target
  return (
    <Section
      id="versions"
      class="versions"
      title={
        opened === null ? (
          'Deployed versions'
        ) : (
          <>
            <Link to={withQuery({ package: '', target: '', after: '' })}>Deployed versions</Link>
            <Icon name="right" size={12} /> {opened}
          </>
        )
      }
      note={noteOf(read.data.value)}
    >
      <Loaded read={read} rows={5} what="the deployed versions">
        {(matrix) => {
          if (name !== null)
            return (
              <Opened
                title="Target"
                cells={matrix.items.flatMap(({ cells }) => cells.toSorted((a, b) => naturally(a.target, b.target)))}
                of="target"
              />
            )
          if (target !== null) return <Opened title="Package" cells={cellsOn(target, matrix)} of="package" />
          return <Matrix matrix={matrix} isContinued={after !== null} />
        }}
      </Loaded>
    </Section>
  )
}

function isLarge({ total, columns }: MatrixPage): boolean {
  return total > mostRows || columns.length > mostColumns
}

function noteOf(matrix: MatrixPage | undefined): string {
  return matrix !== undefined && isLarge(matrix)
    ? 'stacks, and the worst of their states'
    : 'the applied commit; the same commit has the same tint'
}

function cellsOn(target: string, { items }: MatrixPage): readonly VersionCell[] {
  return items.flatMap((row) =>
    row.cells.filter((cell) => cell.target === target).map((cell) => ({ ...cell, package: row.package })),
  )
}

interface OpenedProps {
  readonly title: string
  readonly cells: readonly VersionCell[]
  readonly of: 'target' | 'package'
}

/** One package on all its targets, or all packages on one target. */
function Opened({ title, cells, of }: OpenedProps) {
  if (cells.length === 0) return <Empty>There is none.</Empty>
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Versions by ${of}`}>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">Applied</th>
            <th scope="col">Stacks</th>
            <th scope="col">Worst state</th>
          </tr>
        </thead>
        <tbody>
          {cells.map((cell) => (
            <tr key={`${cell.target} ${cell.package}`}>
              <th scope="row">{of === 'target' ? cell.target : packageName(cell.package ?? '')}</th>
              <td>
                <Commits cell={cell} />
              </td>
              <td>
                <Link to={cellAddress(cell)}>{cell.stack ?? counted(cell.stacks, 'stack')}</Link>
              </td>
              <td>
                <State of={cell.worst} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Commits({ cell: { commits, commitCount } }: { readonly cell: VersionCell }) {
  if (commitCount === 0) return <Commit id={null} />
  return (
    <span class="commits">
      {commits.map((commit) => (
        <Commit key={commit} id={commit} />
      ))}
      {commitCount > commits.length && `and ${commitCount - commits.length} more`}
    </span>
  )
}

function Matrix({ matrix, isContinued }: { readonly matrix: MatrixPage; readonly isContinued: boolean }) {
  const { items, total, next } = matrix
  const columns = matrix.columns.toSorted(naturally)
  const targets = columns.slice(0, mostCountColumns)
  const targetNames = cutNames(targets, mostTargetCharacters)
  const packageNames = cutNames(
    items.map((row) => packageName(row.package)),
    mostPackageCharacters,
  )
  const isCounted = isLarge(matrix)
  const Shown = isCounted ? CountCell : Cell
  return (
    <>
      {columns.length > targets.length && <OpenTarget targets={columns} />}
      <div class="scroll" tabIndex={0} role="region" aria-label="Packages and targets">
        <table class={`matrix ${isCounted ? 'counts-only' : ''}`}>
          <thead>
            <tr>
              <th scope="col">Package</th>
              {targets.map((target) => (
                <th key={target} scope="col" title={target}>
                  <Link to={isCounted ? withQuery({ target }) : `/targets/${encodeURIComponent(target)}`}>
                    {targetNames.get(target)}
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((row) => {
              const cells = new Map(row.cells.map((cell) => [cell.target, cell]))
              return (
                <tr key={row.package}>
                  <th scope="row" title={row.package}>
                    <Link to={withQuery({ package: row.package })}>{packageNames.get(packageName(row.package))}</Link>
                  </th>
                  {targets.map((target) => (
                    <td key={target}>
                      <Shown cell={cells.get(target)} />
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {isCounted && (
        <p class="dim more-versions">
          {counted(total, 'package')} on {counted(columns.length, 'target')}. Choose one of them for its commits.
          {isContinued && <Link to={withQuery({ after: '' })}>First packages</Link>}
          {next !== null && <Link to={withQuery({ after: next })}>Next packages</Link>}
        </p>
      )}
    </>
  )
}

/** There are more targets than columns. */
function OpenTarget({ targets }: { readonly targets: readonly string[] }) {
  return (
    <label class="search open-target">
      <span class="dim">Show one target</span>
      <select onChange={({ currentTarget: { value } }) => go(withQuery({ target: value }))}>
        <option value="">of {targets.length.toLocaleString()}</option>
        {targets.map((target) => (
          <option key={target} value={target}>
            {target}
          </option>
        ))}
      </select>
    </label>
  )
}
