import type { Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import type { FieldChange } from '../../../model/resources/change.js'
import type { StackPatchDocument } from '../../../settings/documents/stack-document.js'
import { stackDefaults } from '../../../settings/stack-settings.js'
import type { ErrorBody } from '../../../views/errors/error.js'
import type { RunView } from '../../../views/run.js'
import type { StackPage, StackRow, StackView } from '../../../views/stack.js'
import { maximumListItems, readPages } from '../../client/all-pages.js'
import type { ConfirmOptions } from '../../confirm.js'
import { yesOption } from '../shared-options.js'
import { addCompare } from './compare.js'
import { addDiscover } from './discover.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { exitCode, exitCodeOfStatus } from '../../exit-code.js'
import { stackPath } from '../../client/stack-path.js'
import { followRun, reportRun } from '../sync/follow-run.js'
import { finishSynced } from '../sync/report-blockers.js'
import { finishHealthy, readHealthWait, waitOptions, type WaitOptions } from '../sync/wait-healthy.js'
import { choice, type Declare, type Invocation } from '../../invocation.js'
import { changeFieldLines } from '../../text/plan/field-text.js'
import { hintLines } from '../../text/next-lines.js'
import { asPreview, planLines, type ShownPlan } from '../../text/plan/plan-text.js'
import { problemLines } from '../../text/problem-text.js'
import { numberOf } from '../../text/short-forms.js'
import { section } from '../../text/table.js'
import { createdLines } from '../../text/run-text.js'
import type { Display } from '../../text/text.js'
import { isFiltered, stackFilterList, stackListQuery, type StackFilterOptions } from './stack-filter.js'
import { stackLines, stackListLines } from '../../text/stack-text.js'
import { targetsAmong, withTargetOptions, type TargetOptions } from './create-targets.js'
import { createPreviewOptions, type CreatePreviewOptions } from './create-preview-options.js'
import { inputNotes, unsetOption } from './input-options.js'
import { addOwnershipVerbs } from './ownership.js'
import { addPush } from './push.js'
import { addRemovalVerbs } from './removal.js'
import { namingMissing, stackDocument, stackOptionList, stackPatch, type StackOptions } from './stack-options.js'

/** stack create, set, push, list, get, adopt, release, uninstall, delete, compare and discover. */
export function addStackVerbs(program: Command, declare: Declare): void {
  const stack = program.command('stack').description('create, change, list and delete stacks')
  addCreate(stack, declare)
  addSet(stack, declare)
  addPush(stack, declare)
  addQueries(stack, declare)
  addOwnershipVerbs(stack, declare)
  addRemovalVerbs(stack, declare)
  addCompare(stack, declare)
  addDiscover(stack, declare)
}

/** Not for `stack set`: the source of a stack cannot become inline. */
const inlineOption = ['--inline', 'package files that you push: `gitmoor stack push NAME -f FILE`'] as const

function addCreate(stack: Command, declare: Declare): void {
  const create = {
    usage: 'create NAME',
    summary: 'create a stack and wait for its first sync',
    example: 'stack create boards --repo https://github.com/acme/boards --ref stable',
    notes:
      'Several --target, or --target-label, create a fleet with a stack NAME.TARGET on each target.\n' + inputNotes,
    options: [
      ...withTargetOptions(stackOptionList({ defaults: true })),
      inlineOption,
      ...createPreviewOptions,
      ...waitOptions('do not wait for the first sync'),
    ],
  } as const
  type CreateOptions = Omit<StackOptions, 'target'> & TargetOptions & CreatePreviewOptions & WaitOptions
  declare<CreateOptions>(stack, create, async (cli, [name = ''], given) => {
    const { wait, timeout, target, targetLabel, ...settings } = given
    const healthMs = readHealthWait({ wait, timeout })
    const on = targetsAmong({ target, targetLabel })
    const options = 'targets' in on ? settings : { ...settings, ...on }
    const body = await stackDocument(name, options, cli)
    if ('targets' in on)
      return (await import('./create-fleet.js')).createFleet(cli, body, on.targets, {
        ...options,
        wait: wait !== false,
        healthMs,
      })
    if (options.dryRun === true) return (await import('./preview-create.js')).previewCreate(cli, body, options)
    const isInline = body.sources.some(({ kind }) => kind === 'inline')
    if (isInline && healthMs !== undefined) throw usageErrors.nothingPushed(name)
    const creation = cli.client.request<{ stack: StackView; run: string }>('POST', '/api/v1/stacks', { body })
    const created = await namingMissing(creation, options, cli.cwd)
    if (wait !== false && !isInline) {
      cli.out.progress(`created ${name}; its first sync is run ${created.run}`)
      return finishCreate(cli, name, created.run, healthMs)
    }
    const run = await cli.client.request<RunView>('GET', stackPath(name, 'runs', created.run))
    cli.out.answer({ stack: created.stack, run }, () => [
      `Created ${printable(name)}. Its first sync is run ${printable(created.run)}.`,
      ...(isInline ? [`  next: gitmoor stack push ${printable(name)} -f FILE`] : []),
    ])
    return exitCode.ok
  })
}

async function finishCreate(cli: Invocation, name: string, id: string, healthMs: number | undefined): Promise<number> {
  const run = await followRun(cli, name, id)
  const stack = await cli.client.request<StackView>('GET', stackPath(name))
  const isFailed = run.outcome === 'failed' || run.outcome === 'undone'
  if (isFailed && !cli.out.json) cli.out.lines(() => [`Created ${printable(name)}, but its first sync failed.`])
  reportRun(cli, name, run, { stack, run }, createdLines)
  return finishHealthy(cli, stack, run, healthMs)
}

function addSet(stack: Command, declare: Declare): void {
  const set = {
    usage: 'set NAME',
    summary: 'change settings and wait for the run that applies them',
    example: 'stack set boards --ref beta',
    notes:
      'Settings that you do not give stay, also those that FILE does not name. In FILE, null resets a setting.\n' +
      inputNotes,
    options: [
      ...stackOptionList({ defaults: false }),
      unsetOption(),
      ['--dry-run', 'print what would change, with the plan of the next run, and change nothing'],
      ['--no-wait', 'print the plan, and do not wait for its run'],
      yesOption,
    ],
  } as const
  type SetOptions = StackOptions & ConfirmOptions & { wait: boolean; dryRun?: true }
  declare<SetOptions>(stack, set, async (cli, [name = ''], { wait, dryRun, yes, ...options }) => {
    const body = await stackPatch(name, options, cli)
    const send = <Answer>(method: 'PATCH' | 'POST', ...below: readonly string[]): Promise<Answer> =>
      namingMissing(cli.client.request<Answer>(method, stackPath(name, ...below), { body }), options, cli.cwd)
    const preview = (): Promise<SettingsPreview> => send<SettingsPreview>('POST', 'plan-settings')
    if (dryRun === true) return reportPreview(cli, name, await preview())
    if (yes !== true) await confirmCorrections(cli, name, body.drift, preview)
    const update = await send<StackUpdate>('PATCH')
    if (!cli.out.json) cli.out.lines((display) => changedLines(`Changed ${printable(name)}.`, name, update, display))
    const { run } = update
    if (wait && run !== undefined && beginsByItself(update.stack)) return finishSet(cli, update, run)
    if (cli.out.json) cli.out.answerJson(update)
    else showNextRun(cli, update)
    return exitCode.ok
  })
}

/** Asks before the run of the new settings corrects drift that the stack does not correct by itself. */
async function confirmCorrections(
  cli: Invocation,
  name: string,
  drift: StackPatchDocument['drift'],
  preview: () => Promise<SettingsPreview>,
): Promise<void> {
  const { spec } = await cli.client.request<StackView>('GET', stackPath(name))
  const after = drift === null ? stackDefaults.drift : (drift ?? spec.drift)
  if (after === 'correct') return
  const drifted = correctedDrift((await preview()).plan)
  if (drifted === 0) return
  const { confirm } = await import('../../confirm.js')
  const what = `corrects the drift of ${numberOf(drifted, 'resource')}, which ${printable(name)} does not correct by itself`
  await confirm(cli, `The run of these settings also ${what}. Change the settings?`, {})
}

interface SettingsPreview {
  readonly changes: readonly FieldChange[]
  readonly plan?: ShownPlan
  readonly error?: ErrorBody
}

interface StackUpdate extends SettingsPreview {
  readonly stack: StackView
  /** The id of the run that applies the changes, or that they may let begin. */
  readonly run?: string
}

/** Not if it waits for a person to resume the stack, or to push its first package. */
function beginsByItself({ suspended, revision, spec }: StackView): boolean {
  const awaitsPush = revision.observed === null && spec.sources.every(({ kind }) => kind === 'inline')
  return suspended === null && !awaitsPush
}

/** Waits for the run that applies the settings, and prints its result. If it does not begin now, prints its plan. */
async function finishSet(cli: Invocation, update: StackUpdate, id: string): Promise<number> {
  const { name } = update.stack
  const run = await followRun(cli, name, id)
  const stack = await cli.client.request<StackView>('GET', stackPath(name))
  if (run.phase === 'queued' && !cli.out.json) showNextRun(cli, update)
  reportRun(cli, name, run, { ...update, stack, run })
  return finishSynced(cli, stack, run)
}

/** The plan of a run that has not begun, or why there is none. */
function showNextRun(cli: Invocation, { plan, error }: SettingsPreview): void {
  cli.out.lines((display) => [
    ...(plan === undefined ? [] : ['Plan of the next run:', '', ...planLines(plan, display)]),
    ...(error === undefined ? [] : [`Cannot plan the next run yet: ${printable(error.message)}`]),
    ...hintLines(error?.hint, display.width),
  ])
  cli.out.message(({ style }) => (plan?.problems ?? []).flatMap((one) => problemLines(one, style)))
}

/** Each changed setting with its old and new value, so a weaker safety setting is visible; and corrections of drift. */
function changedLines(title: string, name: string, preview: SettingsPreview, display: Display): readonly string[] {
  const { changes, plan } = preview
  if (changes.length === 0) return [`${printable(name)} already has these settings.`]
  return [title, ...changeFieldLines({ action: 'update', fields: changes }, display), ...correctionLines(plan)]
}

/** A run for changed settings also corrects drift that the stack only reports. */
function correctionLines(plan: ShownPlan | undefined): readonly string[] {
  const drifted = correctedDrift(plan)
  return drifted === 0 ? [] : [`The next run corrects the drift of ${numberOf(drifted, 'resource')}.`]
}

function correctedDrift(plan: ShownPlan | undefined): number {
  return plan?.changes.filter(({ reason }) => reason === 'drifted' || reason === 'gone').length ?? 0
}

function reportPreview(cli: Invocation, name: string, preview: SettingsPreview): number {
  if (cli.out.json) cli.out.answerJson(preview)
  else {
    const title = `Would change ${printable(name)}. Nothing is changed yet.`
    cli.out.lines((display) => changedLines(title, name, preview, display))
    const { plan } = preview
    showNextRun(cli, { ...preview, ...(plan && { plan: asPreview(plan) }) })
  }
  return preview.error === undefined ? exitCode.ok : exitCodeOfStatus(preview.error.status)
}

function addQueries(stack: Command, declare: Declare): void {
  const list = {
    usage: 'list',
    summary: 'list stacks (filters combine with AND)',
    example: 'stack list --needs person --sort -lastRun',
    options: [
      ...stackFilterList(),
      choice('-o, --output <FORMAT>', 'name: only the names, one per line', ['text', 'name']).default('text'),
      ['--show-labels', 'print a column with the labels'] as const,
      ['--watch', 'keep printing rows that change, until Ctrl-C'] as const,
    ],
    notes: 'With --json --watch, each row is one line. A deleted stack is {"deleted": NAME}.',
  }
  type ListOptions = StackFilterOptions & { output: 'text' | 'name'; showLabels?: true; watch?: true }
  declare<ListOptions>(stack, list, async (cli, _, { output, showLabels = false, watch, ...options }) => {
    const query = stackListQuery(options)
    const shown = { filtered: isFiltered(options), labels: showLabels }
    if (watch === true) return (await import('./watch-stacks.js')).watchStacks(cli, query, shown)
    const page = await readPages<StackRow, Pick<StackPage, 'refused'>>(
      cli.client,
      '/api/v1/stacks',
      query,
      maximumListItems,
    )
    if (output === 'name' && !cli.out.json) {
      cli.out.lines(() => page.items.map(({ name }) => printable(name)))
      return exitCode.ok
    }
    cli.out.answer(page, (display) => [
      ...stackListLines(page.items, display, shown),
      ...section((page.refused ?? []).flatMap((one) => problemLines(one, display.style))),
    ])
    return exitCode.ok
  })
  const get = {
    usage: 'get NAME',
    summary: 'show a stack, its status and its resources',
    example: 'stack get boards -o yaml',
    options: [choice('-o, --output <FORMAT>', 'yaml: stack document for -f; json: same as --json', ['yaml', 'json'])],
  }
  declare<{ output?: 'yaml' | 'json' }>(stack, get, async (cli, [name = ''], { output }) => {
    const view = await cli.client.request<StackView>('GET', stackPath(name))
    if (output === 'yaml' && !cli.out.json) {
      const { printStackDocument } = await import('../../../settings/documents/stack-document.js')
      const text = printStackDocument(view.spec)
      cli.out.answer(view, () => text.trimEnd().split('\n').map(printable))
    } else if (output === 'json') cli.out.answerJson(view)
    else cli.out.answer(view, (display) => stackLines(view, display))
    return exitCode.ok
  })
}
