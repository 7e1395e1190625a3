// A cell of the matrix: a package on a target.
import type { MatrixCell } from '../data/overview.js'
import { needing, stateKeys } from '../data/states.js'
import { tintOf } from '../data/tints.js'
import { stackPath } from '../lib/route.js'
import { counted, shortRevision } from '../lib/text.js'
import { Icon } from '../parts/icon.js'
import { Link } from '../parts/link.js'

/** `package`: if the table is of one target. */
export type VersionCell = MatrixCell & { readonly package?: string }

interface CellProps {
  readonly cell: VersionCell | undefined
}

/** Of its stack, or of the stacks on its target. */
export function cellAddress({ stack, target }: MatrixCell): string {
  return stack === null ? `/stacks?target=${encodeURIComponent(target)}` : stackPath(stack)
}

/** The applied commit, with the tint that it has everywhere. */
export function Cell({ cell }: CellProps) {
  if (cell === undefined) return <span class="none">·</span>
  const { stack, stacks, worst, commits } = cell
  const [commit] = commits
  const key = stateKeys[worst]
  const applied = commit === undefined ? 'nothing' : shortId(commit)
  return (
    <Link
      to={cellAddress(cell)}
      class={`cell t-${tintOf(commit)} ${needing.includes(worst) ? `marked s-${key}` : ''}`}
      aria-label={`${stack ?? counted(stacks, 'stack')}: ${worst}, ${applied === 'nothing' ? 'nothing applied' : applied}`}
    >
      <code>{stack === null ? counted(stacks, 'stack') : applied}</code>
      {worst !== 'Synced' && (
        <span class={`s-${key}`}>
          <Icon name={key} size={14} />
        </span>
      )}
    </Link>
  )
}

/** How many stacks, and the worst of their states. */
export function CountCell({ cell }: CellProps) {
  if (cell === undefined) return null
  const { stacks, worst } = cell
  const key = stateKeys[worst]
  return (
    <Link
      to={cellAddress(cell)}
      class={`count-cell s-${key}`}
      aria-label={`${counted(stacks, 'stack')}, worst: ${worst}`}
    >
      {stacks > 1 && stacks.toLocaleString()}
      <Icon name={key} size={14} />
    </Link>
  )
}

function shortId(commit: string): string {
  return /^[0-9a-f]{40}$/.test(commit) ? commit.slice(0, 7) : shortRevision(commit)
}
