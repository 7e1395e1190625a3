import type { Command } from 'commander'
import { printable } from '../../lib/text/printable.js'
import { causeText } from '../../model/stacks/run.js'
import type { RunPage, RunRow, RunView, StackRunRow } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import type { StatusView } from '../../views/status.js'
import { usageErrors } from '../errors/usage-errors.js'
import { readPages } from '../client/all-pages.js'
import { stackPath } from '../client/stack-path.js'
import { watchEvents } from '../client/watch-events.js'
import { exitCode } from '../exit-code.js'
import type { Declare, Invocation } from '../invocation.js'
import { historyLines, outcomeText, runLines } from '../text/run-text.js'
import { creatableName, age, shortCounts, shortRevision, showTime } from '../text/short-forms.js'
import { stateText, statusLines } from '../text/stack-text.js'
import { pad, section } from '../text/table.js'
import { inFull, type Display } from '../text/text.js'
import {
  selectedNames,
  selectionOptions,
  selectionQuery,
  selectsSeveral,
  type StackSelection,
} from './several-stacks.js'
import { limitOption, readRunId } from './shared-options.js'

interface HistoryOptions extends StackSelection {
  readonly limit: number
  readonly follow?: true
  readonly full?: true
}

export function addHistoryVerb(program: Command, declare: Declare): void {
  const history = {
    usage: 'history [NAME] [RUN]',
    summary: 'list the runs of a stack, of several or of all, newest first; or show one run',
    example: 'history boards 12',
    options: [
      ...selectionOptions,
      limitOption(),
      ['--follow', 'keep printing runs as they start and finish, until Ctrl-C'],
      ['--full', 'with RUN: print everything, also long values and empty fields'],
    ],
    notes:
      'Without NAME, the runs of all stacks.\n' +
      'With --follow, the oldest run is first. With --follow --json, each run is one line.',
  } as const
  declare<HistoryOptions>(program, history, async (cli, [name = '', run = ''], options) => {
    const { follow, limit } = options
    if (follow === true && run !== '') throw usageErrors.followOfOneRun(run)
    if (isOfSeveral(name, options) && run === '') return (follow === true ? followSeveral : listSeveral)(cli, options)
    if (follow === true) return followHistory(cli, name, limit)
    return run === '' ? listHistory(cli, name, limit) : showRun(cli, [name, readRunId(name, run)], options)
  })
}

/** Without NAME and options: all stacks. Errors: `UsageError`, if more than one of them is given. */
function isOfSeveral(name: string, selection: StackSelection): boolean {
  const { selector, fleet, all } = selection
  const isNoneGiven = name === '' && selector === undefined && fleet === undefined && all === undefined
  return isNoneGiven || selectsSeveral(name, selection)
}

async function showRun(
  cli: Invocation,
  [name, run]: readonly [string, string],
  { full }: HistoryOptions,
): Promise<number> {
  const view = await cli.client.request<RunView>('GET', stackPath(name, 'runs', run))
  cli.out.answer(view, (display) => runLines(view, inFull(display, full)))
  return exitCode.ok
}

async function listHistory(cli: Invocation, name: string, limit: number): Promise<number> {
  const page = await readPages<RunRow, Pick<RunPage, 'deleted'>>(cli.client, stackPath(name, 'runs'), {}, limit)
  const { deleted } = page
  if (cli.out.json) cli.out.answerJson(page)
  else if (deleted !== undefined)
    cli.out.lines((display) => [...historyLines(page.items, display), ...deletedLines(name, deleted, display)])
  else {
    const { status } = await cli.client.request<StackView>('GET', stackPath(name))
    cli.out.lines((display) => [...historyLines(page.items, display), ...nowLines(status, display)])
  }
  return exitCode.ok
}

function deletedLines(name: string, { by, at }: NonNullable<RunPage['deleted']>, { now }: Display): readonly string[] {
  return section([
    `${printable(by)} deleted ${printable(name)} ${age(at, now)}, at ${showTime(at)}.`,
    `  next: create it again: gitmoor stack create ${printable(creatableName(name))} --repo URL`,
  ])
}

/** The state of the stack: most of what blocks a stack blocks it before a run begins. */
function nowLines(status: StatusView, display: Display): readonly string[] {
  if (status.state === 'Synced') return []
  return section([`Now: ${stateText(status, display.style)}`, ...statusLines(status, display.style)])
}

const allRunsPath = '/api/v1/runs'

async function listSeveral(cli: Invocation, options: HistoryOptions): Promise<number> {
  const page = await readPages<StackRunRow>(cli.client, allRunsPath, selectionQuery(options), options.limit)
  if (page.items.length === 0) await selectedNames(cli, options) // a selector or a fleet without a stack is an error
  cli.out.answer(page, (display) => historyLines(page.items, display))
  return exitCode.ok
}

/** Prints the runs, oldest first, then each run when it starts and finishes, until Ctrl-C or the stack is deleted. */
async function followHistory(cli: Invocation, name: string, limit: number): Promise<number> {
  const show = shownOnce(cli)
  await watchEvents(cli, { stack: name }, async ({ type, run }) => {
    if (type === 'open' || type === 'reset') await showAll(cli, stackPath(name, 'runs'), { limit }, show)
    if ((type === 'run.queued' || type === 'run.ended') && run !== null) show(run)
    if (type !== 'stack.deleted') return true
    if (!cli.out.json) cli.out.message(() => [`Stack ${printable(name)} was deleted.`])
    return false
  })
  return exitCode.ok
}

/** The same for several stacks, until Ctrl-C. The labels of a stack count when it is created or the command begins. */
async function followSeveral(cli: Invocation, { limit, ...selection }: HistoryOptions): Promise<number> {
  const isOfAll = selection.selector === undefined && selection.fleet === undefined
  const show = shownOnce(cli)
  let names: ReadonlySet<string> | undefined
  await watchEvents(cli, {}, async ({ type, stack, run }) => {
    const isStart = type === 'open' || type === 'reset'
    if (!isOfAll && (isStart || type === 'stack.created')) names = new Set(await selectedNames(cli, selection))
    if (isStart) await showAll(cli, allRunsPath, { ...selectionQuery(selection), limit }, show)
    if (run === null || stack === null || names?.has(stack) === false) return
    if (type === 'run.queued' || type === 'run.ended') show({ ...run, stack })
  })
  return exitCode.ok
}

async function showAll(
  cli: Invocation,
  path: string,
  { limit, ...query }: { readonly limit: number } & Partial<ReturnType<typeof selectionQuery>>,
  show: (run: RunRow | StackRunRow) => void,
): Promise<void> {
  const { items } = await readPages<RunRow | StackRunRow>(cli.client, path, query, limit)
  for (const run of [...items].reverse()) show(run)
}

/** Prints a run when it is new, and when it has ended. */
function shownOnce(cli: Invocation): (run: RunRow | StackRunRow) => void {
  const shown = new Map<string, string>()
  return (run) => {
    const state = run.outcome ?? 'unfinished'
    if (shown.get(run.id) === state) return
    const isFirst = shown.size === 0
    shown.set(run.id, state)
    cli.out.item(run, (display) => [
      ...(isFirst ? [display.style.dim(heading('stack' in run))] : []),
      runLine(run, display),
    ])
  }
}

const runWidth = 6
const stackWidth = 20
const widths = [20, 14, 24, 10, 30] as const

function heading(isOfSeveral: boolean): string {
  const rest = columns(['WHEN', 'OUTCOME', 'REVISION', 'CHANGES', 'CAUSE', 'ERROR'])
  return [pad('RUN', runWidth), ...(isOfSeveral ? [pad('STACK', stackWidth)] : []), rest].join('  ')
}

/** Shows absolute times, because the line stays on the screen. */
function runLine(run: RunRow | StackRunRow, { style }: Display): string {
  const rest = columns([
    showTime(run.finishedAt ?? run.createdAt),
    outcomeText(run, style),
    shortRevision(run.revision, run.versions),
    shortCounts(run.changes),
    printable(causeText(run.cause)),
    printable(run.firstError ?? ''),
  ])
  const stack = 'stack' in run ? [pad(printable(run.stack), stackWidth)] : []
  return [pad(printable(run.id), runWidth), ...stack, rest].join('  ')
}

function columns(cells: readonly string[]): string {
  return cells
    .map((cell, index) => pad(cell, widths[index] ?? 0))
    .join('  ')
    .trimEnd()
}
