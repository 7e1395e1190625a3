// What became of each change of a run, page by page.
import type { RunEvents } from '../../../src/views/run-events.js'
import { stackUrl } from '../../data/stack-url.js'
import { stackPath } from '../../lib/route.js'
import { Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
import { useMorePages } from '../../parts/more-pages.js'
import { Section } from '../../parts/section.js'

export const stepsPerPage = 50

const states = {
  done: ['synced', 'done'],
  'in-progress': ['running', 'in progress'],
  'not-done': ['waiting', 'not done'],
  undone: ['failed', 'reverted'],
  unknown: ['unknown', 'changed again later'],
} as const

const verbs = { create: 'create', update: 'change', remove: 'remove', untrack: 'untrack' } as const

interface StepsProps {
  readonly stack: string
  readonly run: string
  readonly first: RunEvents
}

export function Steps({ stack, run, first }: StepsProps) {
  const { items, button } = useMorePages(first, stackUrl(stack, `/runs/${run}/events?limit=${stepsPerPage}`))
  if (first.items.length === 0) return null
  return (
    <Section id="steps" title="Steps">
      <ol class="steps-list box">
        {items.map(({ address, action, state, at }) => {
          const [key, word] = states[state]
          return (
            <li key={address}>
              <span class={`state s-${key}`}>
                <Icon name={key} size={14} />
                {word}
              </span>
              <span>
                {verbs[action]} <Link to={stackPath(stack, 'resources', ...address.split('/'))}>{address}</Link>
              </span>
              <span class="right">{at !== null && <Time at={at} />}</span>
            </li>
          )
        })}
      </ol>
      {button}
    </Section>
  )
}
