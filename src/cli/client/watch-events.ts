// What happens, as the agent tells it: a stream that is taken up again where it broke off.
import { systemClock } from '../../lib/clock.js'
import type { EventView } from '../../views/event.js'
import { CliError } from '../cli-error.js'
import { exitCode } from '../exit-code.js'
import type { Invocation } from '../invocation.js'

/** The agent tells every 15 s that it is alive. */
const silentMs = 45_000
const firstPauseMs = 500
const longestPauseMs = 10_000
const maximumEventBytes = 1024 * 1024

/**
 * Tells every event until Ctrl-C, or until `onEvent` answers false. An agent that goes away is waited for, once it was
 * there at all; what cannot be told any more comes as `reset`. Errors: `CliError` of what the agent refuses.
 */
export async function watchEvents(
  at: Invocation,
  query: { readonly stack?: string },
  onEvent: (event: EventView) => Promise<boolean | void>,
): Promise<void> {
  let after: string | undefined
  let pauseMs = firstPauseMs
  while (!at.signal.aborted) {
    try {
      const asking = { query: { ...query, after }, silentMs }
      const ended = await at.client.download('GET', '/api/v1/events', asking, async ({ chunks }) => {
        for await (const event of readEvents(chunks)) {
          after = event.id
          pauseMs = firstPauseMs
          if ((await onEvent(event)) === false) return true
        }
        return false
      })
      if (ended) return
    } catch (error) {
      if (at.signal.aborted) return
      if (after === undefined || !isTransient(error)) throw error
    }
    at.out.progress(`the agent is away; asked again in ${pauseMs / 1000} s`)
    await systemClock.sleep(pauseMs, at.signal).catch(() => {})
    pauseMs = Math.min(longestPauseMs, 2 * pauseMs)
  }
}

/** It stops, starts, has too many who watch, or is out of reach. */
function isTransient(error: unknown): boolean {
  return (
    error instanceof CliError &&
    (error.code === 'cli/no-answer' || error.status === 'unavailable' || error.exit === exitCode.timeout)
  )
}

/**
 * Events of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation), as
 * far as the agent writes them.
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventView> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    if (text.length > maximumEventBytes) throw new CliError(exitCode.error, 'An event of the agent is too large.')
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.replace(/:.*/s, ''), line.replace(/^[^:]*: ?/, '')]))
      const data = fields.get('data')
      if (data !== undefined) yield { ...(JSON.parse(data) as Omit<EventView, 'id'>), id: fields.get('id') ?? '' }
    }
  }
}
