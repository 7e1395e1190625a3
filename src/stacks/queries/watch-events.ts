// Sends events to clients that watch.
import { isoTime } from '../../lib/text/time-text.js'
import type { Event, NumberedEvent } from '../../model/stacks/event.js'
import { viewRunRow } from './view-stack.js'
import type { EventView } from '../../views/event.js'
import type { Context } from '../context.js'
import { findStack } from '../stacks.js'

/** Who watches after it misses nothing that happens from now on. */
export function getLastEventId({ scheduler }: Context): string {
  return scheduler.events.lastId
}

export async function watchEvents(
  context: Context,
  { stack: name, after }: { readonly stack?: string; readonly after?: string },
  send: (event: EventView) => void,
): Promise<() => void> {
  const stack = name === undefined ? undefined : (await findStack(context, name)).id
  const { id, missed, stop } = context.scheduler.events.subscribe(after, (numbered) => {
    if (stack === undefined || eventStack(numbered.event) === stack) send(view(numbered))
  })
  send({
    id,
    type: missed ? 'reset' : 'open',
    at: isoTime(context.clock.now()),
    stack: null,
    run: null,
    channel: null,
    resource: null,
  })
  return stop
}

function eventStack(event: Event): string | undefined {
  return 'stack' in event ? event.stack : undefined
}

function view({ id, at, event }: NumberedEvent): EventView {
  const common = { id, type: event.type, at: isoTime(at), stack: null, run: null, channel: null, resource: null }
  switch (event.type) {
    case 'channel.moved': {
      const { remote, ref, from, to, state } = event.move
      return { ...common, channel: { remote, ref, from, to, state } }
    }
    case 'target.changed': {
      const { target, resource, operation } = event
      return { ...common, resource: { target, ...resource, operation } }
    }
    case 'run.queued':
    case 'run.phase':
    case 'run.ended':
      return { ...common, stack: event.name, run: viewRunRow(event.run, event.phase) }
    case 'stack.created':
    case 'stack.changed':
    case 'stack.deleted':
      return { ...common, stack: event.name }
  }
}
