// What to do while there is no stack: three command lines that create one.
import { Clis } from '../parts/basics.js'
import { Link } from '../parts/link.js'

export function NoStacks() {
  return (
    <div class="empty no-stacks">
      <p>A stack keeps a target in sync with its source. Create one:</p>
      <Clis
        of={[
          'gitmoor stack create NAME --repo https://example.com/team/repository --ref main',
          'gitmoor stack create NAME --dir /path/to/package',
          'gitmoor stack create NAME --inline',
        ]}
      />
      <p>
        <Link class="btn primary" to="/new-stack">
          New stack
        </Link>
      </p>
    </div>
  )
}
