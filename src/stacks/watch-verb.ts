// What happens, told to who watches as it happens.
import type { Happening, NumberedHappening } from '../model/happening.js'
import type { Desk } from './desk.js'
import type { Verbs } from './verbs.js'
import { time, viewRunRow } from './view-stack.js'
import type { HappeningView } from './views.js'

export class WatchVerb implements Pick<Verbs, 'watch'> {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  async watch(
    { stack: name, after }: { readonly stack?: string; readonly after?: string },
    tell: (told: HappeningView) => void,
  ): Promise<() => void> {
    const stack = name === undefined ? undefined : (await this.#desk.stack(name)).id
    const { id, missed, stop } = this.#desk.dispatch.listen(after, (happened) => {
      if (stack === undefined || stackOf(happened.happening) === stack) tell(view(happened))
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

function stackOf(happening: Happening): string | undefined {
  return happening.type === 'channel.moved' ? undefined : happening.stack
}

function view({ id, at, happening }: NumberedHappening): HappeningView {
  const told = { id, type: happening.type, at: time(at), stack: null, run: null, channel: null }
  switch (happening.type) {
    case 'channel.moved': {
      const { remote, ref, from, to, state } = happening.move
      return { ...told, channel: { remote, ref, from, to, state } }
    }
    case 'run.queued':
    case 'run.phase':
    case 'run.ended':
      return { ...told, stack: happening.name, run: viewRunRow(happening.run, happening.phase) }
    case 'stack.created':
    case 'stack.changed':
    case 'stack.deleted':
      return { ...told, stack: happening.name }
  }
}
