// The resources of a stack: a graph of what needs what, and a table of what changed last.
import type { PlanView, StackResource } from '../../data/types.js'
import { stackPath } from '../../lib/route.js'
import { tidy } from '../../lib/text.js'
import { Empty, Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { Section } from '../../parts/section.js'
import { Graph } from './graph.js'

interface ResourcesProps {
  readonly stack: string
  readonly items: readonly StackResource[]
  /** The plan whose changes are marked. */
  readonly plan: PlanView | null
}

const actions = {
  create: ['add', 'created'],
  update: ['mod', 'changed'],
  remove: ['del', 'removed'],
  untrack: ['nil', 'untracked'],
} as const

export function Resources({ stack, items, plan }: ResourcesProps) {
  const own = items.filter(({ kind }) => kind !== 'LabelMapping')
  const note = plan === null ? 'arrows point to what needs it' : 'marks: what the plan changes'
  const sorted = [...own].sort((a, b) => (b.lastChange?.at ?? '').localeCompare(a.lastChange?.at ?? ''))
  return (
    <Section id="resources" title="Resources" count={own.length} note={note}>
      {own.length === 0 && plan === null ? (
        <Empty>The stack owns no resources yet.</Empty>
      ) : (
        <>
          <div class="graph box" tabIndex={0} role="region" aria-label="Graph of the resources">
            <Graph stack={stack} items={own} plan={plan} />
          </div>
          <div class="box resource-box">
            <table class="list resource-list">
              <thead>
                <tr>
                  <th scope="col">Resource</th>
                  <th scope="col">Last changed</th>
                  <th scope="col">Cause</th>
                </tr>
              </thead>
              <tbody>
                {sorted.map((one) => (
                  <Row key={one.address} stack={stack} resource={one} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Section>
  )
}

function Row({
  stack,
  resource: { address, kind, lastChange },
}: {
  readonly stack: string
  readonly resource: StackResource
}) {
  const [key, word] = lastChange === null ? ['nil', ''] : actions[lastChange.action]
  return (
    <tr>
      <td>
        <Icon name={kind} />{' '}
        <Link to={`${stackPath(stack, 'resources')}/${address.split('/').map(encodeURIComponent).join('/')}`}>
          <code>{address}</code>
        </Link>
      </td>
      <td>
        {lastChange === null ? (
          '–'
        ) : (
          <>
            <span class={key}>{word}</span> <Time at={lastChange.at} />
          </>
        )}
      </td>
      <td class="dim" title={lastChange?.cause ?? ''}>
        {lastChange !== null && shortCause(lastChange.cause ?? `run ${lastChange.run}`)}
      </td>
    </tr>
  )
}

/** `beta → 2989734` of `tag beta moved from 40dcb63 to 2989734`. */
function shortCause(cause: string): string {
  return tidy(cause).replace(/^(?:tag|branch) (\S+) moved from \S+ to (\S+).*/, '$1 → $2')
}
