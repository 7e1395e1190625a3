// What a command says while its request waits for a poll, because the last poll of the source failed. A retry may begin
// before that poll.
import { systemClock } from '../../../lib/clock.js'
import { printable } from '../../../lib/text/printable.js'
import type { Explanation } from '../../../views/explanation.js'
import { stackPath } from '../../client/stack-path.js'
import type { Invocation } from '../../invocation.js'
import { age } from '../../text/short-forms.js'

/** Most requests end earlier. */
const quietMs = 1_000

/** The answer of the request. Says on stderr when the poll begins that it waits for, if it waits for one. */
export function sayingPollWait<Answer>(cli: Invocation, stack: string, request: Promise<Answer>): Promise<Answer> {
  return untilAnswered(
    cli,
    () => request,
    (ended) => sayPollWait(cli, stack, ended),
  )
}

/**
 * As `sayingPollWait`, for several stacks. `waiting`: those without an answer. `answered` is called when there is none.
 * Asks for one stack after the other, so that many stacks do not load the agent.
 */
export function sayingPollWaits<Answer>(
  cli: Invocation,
  waiting: () => Promise<readonly string[]>,
  request: (answered: () => void) => Promise<Answer>,
): Promise<Answer> {
  return untilAnswered(cli, request, (ended) => sayPollWaits(cli, waiting, ended))
}

async function untilAnswered<Answer>(
  cli: Invocation,
  request: (answered: () => void) => Promise<Answer>,
  say: (ended: AbortSignal) => Promise<void>,
): Promise<Answer> {
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, cli.signal])
  // It rejects when the request ends first. What is wrong, the request itself reports.
  const said = systemClock
    .sleep(quietMs, signal)
    .then(() => say(signal))
    .catch(() => {})
  try {
    return await request(() => ended.abort())
  } finally {
    ended.abort()
    await said
  }
}

async function sayPollWait(cli: Invocation, stack: string, ended: AbortSignal): Promise<void> {
  const at = await requestedPollAt(cli, stack)
  if (at === null || ended.aborted) return
  cli.out.message(({ now }) => [`The last poll failed. The next one begins ${age(at, now)} at the latest.`])
}

/** One line for each time: stacks with one source wait for the same poll. */
async function sayPollWaits(
  cli: Invocation,
  waiting: () => Promise<readonly string[]>,
  ended: AbortSignal,
): Promise<void> {
  const said = new Set<string>()
  for (const stack of await waiting()) {
    if (ended.aborted) return
    const at = await requestedPollAt(cli, stack).catch(() => null)
    if (at === null || said.has(at) || ended.aborted) continue
    said.add(at)
    const source = `the source of ${printable(stack)}`
    cli.out.message(({ now }) => [
      `The last poll of ${source} failed. The next one begins ${age(at, now)} at the latest.`,
    ])
  }
}

async function requestedPollAt(cli: Invocation, stack: string): Promise<string | null> {
  return (await cli.client.request<Explanation>('GET', stackPath(stack, 'explain'))).requestedPollAt
}
