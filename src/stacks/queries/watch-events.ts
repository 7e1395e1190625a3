// What happens, told to who watches as it happens.
import type { Event, NumberedEvent } from '../../model/event.js'
import type { Desk } from '../desk.js'
import type { Verbs } from '../verbs.js'
import { time, viewRunRow } from './view-stack.js'
import type { EventView } from '../../views/event.js'

export class WatchVerb implements Pick<Verbs, 'watch'> {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async watch(
    { stack: name, after }: { readonly stack?: string; readonly after?: string },
    tell: (told: EventView) => void,
  ): Promise<() => void> {
    const stack = name === undefined ? undefined : (await this.#desk.stack(name)).id
    const { id, missed, stop } = this.#desk.dispatch.events.subscribe(after, (happened) => {
      if (stack === undefined || stackOf(happened.event) === stack) tell(view(happened))
    })
    tell({
      id,
      type: missed ? 'reset' : 'open',
      at: time(this.#desk.clock.now()),
      stack: null,
      run: null,
      channel: null,
    })
    return stop
  }
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
