// stacks/bulk: one command for several named stacks. Takes a verb and names; gives a result for each. Promises: a
// refused stack does not stop the others.
import { Semaphore } from '../../lib/async/semaphore.js'
import { errorBody } from '../../views/errors/error-body.js'
import type { BulkResult } from '../../views/bulk.js'
import { resumeStack, suspendStack } from '../changes/changes.js'
import type { Context } from '../context.js'
import { requestSync } from '../runs/runs.js'

/** `why`: of a suspension. */
export type BulkCommand =
  | { readonly verb: 'sync' | 'resume' }
  | { readonly verb: 'suspend'; readonly why: string; readonly forMs?: number }

const atOnce = 8

/** In the order of the names, each once. */
export async function runBulk(
  context: Context,
  command: BulkCommand,
  names: readonly string[],
  by: string,
  signal: AbortSignal,
): Promise<{ readonly items: readonly BulkResult[] }> {
  const running = new Semaphore(atOnce)
  const one = async (name: string): Promise<BulkResult> => {
    try {
      signal.throwIfAborted()
      return { name, run: await runOne(context, command, { name, by }, signal), error: null }
    } catch (cause) {
      const error = errorBody(cause)
      if (signal.aborted || error.status === 'internal') throw cause
      return { name, run: null, error }
    }
  }
  return { items: await Promise.all([...new Set(names)].map((name) => running.run(() => one(name)))) }
}

/** The id of the run of a sync. */
async function runOne(
  context: Context,
  command: BulkCommand,
  { name, by }: { readonly name: string; readonly by: string },
  signal: AbortSignal,
): Promise<string | null> {
  switch (command.verb) {
    case 'sync':
      return (await requestSync(context, name, by, signal)).id
    case 'suspend':
      await suspendStack(context, name, command.why, command.forMs, by)
      return null
    case 'resume':
      await resumeStack(context, name, by)
      return null
  }
}
