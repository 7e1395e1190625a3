// Events, reported to clients that watch.
import type { Event, NumberedEvent } from '../../model/event.js'
import { time, viewRunRow } from './view-stack.js'
import type { EventView } from '../../views/event.js'
import type { Context } from '../context.js'
import { findStack } from '../stacks.js'

export async function watchEvents(
  context: Context,
  { stack: name, after }: { readonly stack?: string; readonly after?: string },
  send: (event: EventView) => void,
): Promise<() => void> {
  const stack = name === undefined ? undefined : (await findStack(context, name)).id
  const { id, missed, stop } = context.scheduler.events.subscribe(after, (happened) => {
    if (stack === undefined || stackOf(happened.event) === stack) send(view(happened))
  })
  send({
    id,
    type: missed ? 'reset' : 'open',
    at: time(context.clock.now()),
    stack: null,
    run: null,
    channel: null,
  })
  return stop
}

function stackOf(happening: Event): string | undefined {
  return happening.type === 'channel.moved' ? undefined : happening.stack
}

function view({ id, at, event }: NumberedEvent): EventView {
  const told = { id, type: event.type, at: time(at), stack: null, run: null, channel: null }
  switch (event.type) {
    case 'channel.moved': {
      const { remote, ref, from, to, state } = event.move
      return { ...told, channel: { remote, ref, from, to, state } }
    }
    case 'run.queued':
    case 'run.phase':
    case 'run.ended':
      return { ...told, stack: event.name, run: viewRunRow(event.run, event.phase) }
    case 'stack.created':
    case 'stack.changed':
    case 'stack.deleted':
      return { ...told, stack: event.name }
  }
}
