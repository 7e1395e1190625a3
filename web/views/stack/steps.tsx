// What became of each change of a run, page by page.
import { useState } from 'preact/hooks'
import type { RunEvents } from '../../../src/views/run-events.js'
import { message } from '../../actions.js'
import { call } from '../../data/call.js'
import { stackUrl } from '../../data/stack-url.js'
import { stackPath } from '../../lib/route.js'
import { Time } from '../../parts/basics.js'
import { Icon } from '../../parts/icon.js'
import { Link } from '../../parts/link.js'
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
  const [more, setMore] = useState<readonly RunEvents[]>([])
  const pages = [first, ...more]
  const next = pages.at(-1)!.next
  const readMore = (): void => {
    const path = `/runs/${run}/events?limit=${stepsPerPage}&after=${encodeURIComponent(next ?? '')}`
    call<RunEvents>('GET', stackUrl(stack, path)).then(
      (page) => setMore([...more, page]),
      (error: Error) => (message.value = { text: error.message }),
    )
  }
  if (first.items.length === 0) return null
  return (
    <Section id="steps" title="Steps">
      <ol class="steps-list box">
        {pages
          .flatMap(({ items }) => items)
          .map(({ address, action, state, at }) => {
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
      {next !== null && (
        <div class="more">
          <button type="button" class="btn" onClick={readMore}>
            Show more
          </button>
        </div>
      )}
    </Section>
  )
}
