import type { Command } from 'commander'
import { printable } from '../../lib/printable.js'
import { causeText } from '../../model/run.js'
import type { RunRow, RunView } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import type { StatusView } from '../../views/status.js'
import { usageErrors } from '../cli-errors.js'
import { readPages } from '../client/all-pages.js'
import { stackPath } from '../client/stack-path.js'
import { watchEvents } from '../client/watch-events.js'
import { exitCode } from '../exit-code.js'
import type { Declare, Invocation } from '../invocation.js'
import { historyLines, outcomeText, runLines } from '../text/run-text.js'
import { shortCounts, shortRevision, showTime } from '../text/short-forms.js'
import { stateText, statusLines } from '../text/stack-text.js'
import { pad, section } from '../text/table.js'
import { inFull, type Display } from '../text/text.js'
import { limitOption } from './shared-options.js'

interface HistoryOptions {
  readonly limit: number
  readonly follow?: true
  readonly full?: true
}

export function addHistoryVerb(program: Command, declare: Declare): void {
  const history = {
    usage: 'history NAME [RUN]',
    summary: 'list the runs of a stack, newest first; or show one run',
    example: 'history boards 12',
    options: [
      limitOption(),
      ['--follow', 'keep printing runs as they start and finish, until Ctrl-C'],
      ['--full', 'with RUN: print everything, also long values and empty fields'],
    ],
    notes: 'With --follow, the oldest run is first. With --follow --json, each run is one line.',
  } as const
  declare<HistoryOptions>(program, history, async (cli, [name = '', run = ''], { limit, follow, full }) => {
    if (follow === true && run !== '') throw usageErrors.followOfOneRun(run)
    if (follow === true) return followHistory(cli, name, limit)
    if (run !== '') {
      const view = await cli.client.request<RunView>('GET', stackPath(name, 'runs', run))
      cli.out.answer(view, (display) => runLines(view, inFull(display, full)))
      return exitCode.ok
    }
    const page = await readPages<RunRow>(cli.client, stackPath(name, 'runs'), {}, limit)
    if (cli.out.json) cli.out.answerJson(page)
    else {
      const { status } = await cli.client.request<StackView>('GET', stackPath(name))
      cli.out.lines((display) => [...historyLines(page.items, display), ...nowLines(status, display)])
    }
    return exitCode.ok
  })
}

/** The state of the stack: most of what blocks a stack blocks it before a run begins. */
function nowLines(status: StatusView, display: Display): readonly string[] {
  if (status.state === 'Synced') return []
  return section([`Now: ${stateText(status, display.style)}`, ...statusLines(status)])
}

/** Prints the runs, oldest first, then each run when it starts and finishes, until Ctrl-C or the stack is deleted. */
async function followHistory(cli: Invocation, name: string, limit: number): Promise<number> {
  const shown = new Map<string, string>()
  const show = (run: RunRow): void => {
    const state = run.outcome ?? 'unfinished'
    if (shown.get(run.id) === state) return
    shown.set(run.id, state)
    cli.out.item(run, (display) => [...(shown.size === 1 ? [display.style.dim(heading)] : []), runLine(run, display)])
  }
  const showAll = async (): Promise<void> => {
    const { items } = await readPages<RunRow>(cli.client, stackPath(name, 'runs'), {}, limit)
    for (const run of [...items].reverse()) show(run)
  }
  await watchEvents(cli, { stack: name }, async ({ type, run }) => {
    if (type === 'open' || type === 'reset') await showAll()
    if ((type === 'run.queued' || type === 'run.ended') && run !== null) show(run)
    if (type !== 'stack.deleted') return true
    if (!cli.out.json) cli.out.message(() => [`Stack ${printable(name)} was deleted.`])
    return false
  })
  return exitCode.ok
}

const widths = [6, 20, 14, 24, 10, 30] as const
const heading = columns(['RUN', 'WHEN', 'OUTCOME', 'REVISION', 'CHANGES', 'CAUSE', 'ERROR'])

/** Shows absolute times, because the line stays on the screen. */
function runLine(run: RunRow, { style }: Display): string {
  return columns([
    printable(run.id),
    showTime(run.finishedAt ?? run.createdAt),
    outcomeText(run, style),
    shortRevision(run.revision),
    shortCounts(run.changes),
    printable(causeText(run.cause)),
    printable(run.firstError ?? ''),
  ])
}

function columns(cells: readonly string[]): string {
  return cells
    .map((cell, index) => pad(cell, widths[index] ?? 0))
    .join('  ')
    .trimEnd()
}
