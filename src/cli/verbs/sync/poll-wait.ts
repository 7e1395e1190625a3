// What a command says while its request waits for a poll, because the last poll of the source failed.
import { systemClock } from '../../../lib/clock.js'
import type { Explanation } from '../../../views/explanation.js'
import { stackPath } from '../../client/stack-path.js'
import type { Invocation } from '../../invocation.js'
import { age } from '../../text/short-forms.js'

/** Most requests end earlier. */
const quietMs = 1_000

/** The answer of the request. Says on stderr when the poll begins that it waits for, if it waits for one. */
export async function sayingPollWait<Answer>(
  cli: Invocation,
  stack: string,
  request: Promise<Answer>,
): Promise<Answer> {
  const ended = new AbortController()
  // It rejects when the request ends first. What is wrong, the request itself reports.
  const said = sayPollWait(cli, stack, AbortSignal.any([ended.signal, cli.signal])).catch(() => {})
  try {
    return await request
  } finally {
    ended.abort()
    await said
  }
}

async function sayPollWait(cli: Invocation, stack: string, ended: AbortSignal): Promise<void> {
  await systemClock.sleep(quietMs, ended)
  const { requestedPollAt } = await cli.client.request<Explanation>('GET', stackPath(stack, 'explain'))
  if (requestedPollAt === null || ended.aborted) return
  cli.out.message(({ now }) => [`The last poll failed. The next one begins ${age(requestedPollAt, now)}.`])
}
