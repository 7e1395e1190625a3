// Which commit of which package is on which target: a matrix.
import { useRead } from '../data/read.js'
import type { MatrixCell, MatrixPage } from '../data/overview.js'
import { needing, stateKeys } from '../data/states.js'
import { tintOf } from '../data/tints.js'
import { stackPath } from '../lib/route.js'
import { counted, repositoryName, shortRevision } from '../lib/text.js'
import { Icon } from '../parts/icon.js'
import { Link } from '../parts/link.js'
import { Loaded, Section } from '../parts/section.js'

const mostColumns = 12
const mostRows = 50

export function Versions() {
  const read = useRead<MatrixPage>(`overview/matrix?limit=${mostRows}`)
  return (
    <Section
      id="versions"
      class="versions"
      title="Deployed versions"
      note="the applied commit; the same commit has the same tint"
    >
      <Loaded read={read} rows={5} what="the deployed versions">
        {(matrix) => <Matrix matrix={matrix} />}
      </Loaded>
    </Section>
  )
}

function Matrix({ matrix: { items, columns, next } }: { readonly matrix: MatrixPage }) {
  const targets = columns.slice(0, mostColumns)
  const hidden = columns.length - targets.length
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Deployed versions">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">Package</th>
              {targets.map((target) => (
                <th key={target} scope="col">
                  <Link to={`/targets/${encodeURIComponent(target)}`}>{target}</Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((row) => (
              <tr key={row.package}>
                <th scope="row" title={row.package}>
                  {packageName(row.package)}
                </th>
                {targets.map((target) => (
                  <td key={target}>
                    <Cell cell={row.cells.find((cell) => cell.target === target)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {(hidden > 0 || next !== null) && (
        <p class="dim">
          The first {items.length} packages and {targets.length} targets. <Link to="/stacks">All stacks</Link>
        </p>
      )}
    </>
  )
}

function Cell({ cell }: { readonly cell: MatrixCell | undefined }) {
  if (cell === undefined) return <span class="none">·</span>
  const { stack, stacks, worst, commits, target } = cell
  const [commit] = commits
  const key = stateKeys[worst]
  const to = stack === null ? `/stacks?target=${encodeURIComponent(target)}` : stackPath(stack)
  const isMarked = needing.includes(worst)
  return (
    <Link
      to={to}
      class={`cell t-${tintOf(commit)} ${isMarked ? `marked s-${key}` : ''}`}
      aria-label={`${stack ?? counted(stacks, 'stack')}: ${worst}, ${commit === undefined ? 'nothing applied' : shortId(commit)}`}
    >
      <code>{stack === null ? counted(stacks, 'stack') : commit === undefined ? 'nothing' : shortId(commit)}</code>
      {worst !== 'Synced' && (
        <span class={`s-${key}`}>
          <Icon name={key} size={14} />
        </span>
      )}
    </Link>
  )
}

function shortId(commit: string): string {
  return /^[0-9a-f]{40}$/.test(commit) ? commit.slice(0, 7) : shortRevision(commit)
}

/** `fleet/billing` of `https://example.com/acme/fleet.git//billing`. */
export function packageName(location: string): string {
  const at = location.lastIndexOf('//')
  const hasPath = at > location.indexOf('://') + 2
  const [url, path] = hasPath ? [location.slice(0, at), location.slice(at + 2)] : [location, '']
  return [repositoryName(url.replace(/\/$/, '')), path].filter((part) => part !== '').join('/')
}
