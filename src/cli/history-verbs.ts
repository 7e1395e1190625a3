import type { Command } from 'commander'
import type { RunRow, RunView } from '../stacks/views.js'
import { askPages } from './all-pages.js'
import { exitCode } from './exit-code.js'
import { stackPath } from './follow-run.js'
import type { Declare } from './invocation.js'
import { limitOption } from './limit-option.js'
import { historyLines, runLines } from './run-text.js'

export function addHistoryVerb(program: Command, declare: Declare): void {
  const history = {
    usage: 'history NAME [RUN]',
    summary: 'what happened, newest first; or all of one run',
    example: 'history boards 12',
    options: [limitOption()],
  } as const
  declare<{ limit: number }>(program, history, async (at, [name = '', run = ''], { limit }) => {
    if (run !== '') {
      const view = await at.client.ask<RunView>('GET', stackPath(name, 'runs', run))
      at.out.answer(view, (look) => runLines(view, look))
      return exitCode.ok
    }
    const page = await askPages<RunRow>(at.client, stackPath(name, 'runs'), {}, limit)
    at.out.answer(page, (look) => historyLines(page.items, look))
    return exitCode.ok
  })
}
