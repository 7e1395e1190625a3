// Reads the agent's event stream and resumes it after the connection is lost.
import { systemClock } from '../../lib/clock.js'
import type { EventView } from '../../views/event.js'
import { CliError } from '../errors/cli-error.js'
import { agentErrors } from '../errors/agent-errors.js'
import { exitCode } from '../exit-code.js'
import type { Invocation } from '../invocation.js'

/** The agent sends a heartbeat every 15 s. */
const idleTimeoutMs = 45_000
const firstRetryDelayMs = 500
const maximumRetryDelayMs = 10_000
const maximumEventBytes = 1024 * 1024

/**
 * Calls `onEvent` for every event until Ctrl-C or until it returns false. Retries when a connection is lost that was
 * open before; missed events are reported as `reset`. Errors: the `CliError` of a refused request.
 */
export async function watchEvents(
  cli: Invocation,
  query: { readonly stack?: string },
  onEvent: (event: EventView) => Promise<boolean | void>,
): Promise<void> {
  let after: string | undefined
  let retryDelayMs = firstRetryDelayMs
  while (!cli.signal.aborted) {
    try {
      const request = { query: { ...query, after }, idleTimeoutMs }
      const finished = await cli.client.download('GET', '/api/v1/events', request, async ({ chunks }) => {
        for await (const event of readEvents(chunks)) {
          after = event.id
          retryDelayMs = firstRetryDelayMs
          if ((await onEvent(event)) === false) return true
        }
        return false
      })
      if (finished) return
    } catch (error) {
      if (cli.signal.aborted) return
      if (after === undefined || !isTransient(error)) throw error
    }
    cli.out.progress(`connection to the agent lost; retrying in ${retryDelayMs / 1000} s`)
    await systemClock.sleep(retryDelayMs, cli.signal).catch(() => {})
    retryDelayMs = Math.min(maximumRetryDelayMs, 2 * retryDelayMs)
  }
}

/** The agent is starting, stopping, unreachable, or has too many watchers. */
function isTransient(error: unknown): boolean {
  return (
    error instanceof CliError &&
    (error.code === 'cli/no-answer' || error.status === 'unavailable' || error.exit === exitCode.timeout)
  )
}

/**
 * Parses the part of the event stream format that the agent writes, without heartbeats
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventView> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    if (text.length > maximumEventBytes) throw agentErrors.responseTooLarge('An event', maximumEventBytes)
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => [line.replace(/:.*/s, ''), line.replace(/^[^:]*: ?/, '')]))
      const data = fields.get('data')
      if (data !== undefined && fields.get('event') !== 'heartbeat')
        yield { ...(JSON.parse(data) as Omit<EventView, 'id'>), id: fields.get('id') ?? '' }
    }
  }
}
