// `history NAME --follow`: the runs there are, oldest first, and then each as it comes and as it ends.
import { printable } from '../../lib/printable.js'
import type { RunRow } from '../../views/run.js'
import { readPages } from '../client/all-pages.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from './follow-run.js'
import type { Invocation } from '../invocation.js'
import { outcomeText } from '../text/run-text.js'
import { causeText, shortCounts, shortRevision, showTime } from '../text/short-forms.js'
import type { Display } from '../text/text.js'
import { pad } from '../text/table.js'
import { watchEvents } from '../client/watch-events.js'

/** Goes on until Ctrl-C, or until the stack is gone. */
export async function followHistory(at: Invocation, name: string, limit: number): Promise<number> {
  const shown = new Map<string, string>()
  const show = (run: RunRow): void => {
    const state = run.outcome ?? 'begun'
    if (shown.get(run.id) === state) return
    shown.set(run.id, state)
    at.out.item(run, (look) => [...(shown.size === 1 ? [look.style.dim(heading)] : []), runLine(run, look)])
  }
  const showAll = async (): Promise<void> => {
    const { items } = await readPages<RunRow>(at.client, stackPath(name, 'runs'), {}, limit)
    for (const run of [...items].reverse()) show(run)
  }
  await watchEvents(at, { stack: name }, async ({ type, run }) => {
    if (type === 'open' || type === 'reset') await showAll()
    if ((type === 'run.queued' || type === 'run.ended') && run !== null) show(run)
    if (type !== 'stack.deleted') return true
    if (!at.out.json) at.out.message(() => [`${printable(name)} is forgotten.`])
    return false
  })
  return exitCode.ok
}

const widths = [6, 20, 11, 24, 10] as const
const heading = columns(['RUN', 'WHEN', 'OUTCOME', 'REVISION', 'CHANGES', 'CAUSE'])

/** Its time is that of the state it is in, whole: the line stays when time goes on. */
function runLine(run: RunRow, { style }: Display): string {
  return columns([
    printable(run.id),
    showTime(run.finishedAt ?? run.createdAt),
    outcomeText(run, style),
    shortRevision(run.revision),
    shortCounts(run.changes),
    causeText(run.cause),
  ])
}

function columns(cells: readonly string[]): string {
  return cells
    .map((cell, at) => pad(cell, widths[at] ?? 0))
    .join('  ')
    .trimEnd()
}
