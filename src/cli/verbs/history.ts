import type { Command } from 'commander'
import type { RunRow, RunView } from '../../views/run.js'
import { readPages } from '../client/all-pages.js'
import { UsageError } from '../cli-error.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from './follow-run.js'
import type { Declare } from '../invocation.js'
import { limitOption } from './shared-options.js'
import { historyLines, runLines } from '../text/run-text.js'

export function addHistoryVerb(program: Command, declare: Declare): void {
  const history = {
    usage: 'history NAME [RUN]',
    summary: 'what happened, newest first; or all of one run',
    example: 'history boards 12',
    options: [limitOption(), ['--follow', 'go on: each run as it comes and as it ends, until Ctrl-C']],
    notes: 'With --follow the oldest comes first; with --json each run is one line.',
  } as const
  declare<{ limit: number; follow?: true }>(program, history, async (at, [name = '', run = ''], { limit, follow }) => {
    if (follow === true && run !== '')
      throw new UsageError('--follow is of all runs, not of one.', `Leave ${run} out, or --follow.`)
    if (follow === true) return (await import('./follow-history.js')).followHistory(at, name, limit)
    if (run !== '') {
      const view = await at.client.request<RunView>('GET', stackPath(name, 'runs', run))
      at.out.answer(view, (look) => runLines(view, look))
      return exitCode.ok
    }
    const page = await readPages<RunRow>(at.client, stackPath(name, 'runs'), {}, limit)
    at.out.answer(page, (look) => historyLines(page.items, look))
    return exitCode.ok
  })
}
