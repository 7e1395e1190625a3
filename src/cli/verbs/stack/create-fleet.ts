// `stack create` on several targets: creates a fleet with a stack on each.
import { printable } from '../../../lib/text/printable.js'
import type { FleetDocument } from '../../../settings/documents/fleet-document.js'
import type { StackDocument } from '../../../settings/documents/stack-document.js'
import type { FleetPlanView, FleetView } from '../../../views/fleet.js'
import type { RunView } from '../../../views/run.js'
import type { StackView } from '../../../views/stack.js'
import { fleetPath } from '../../client/fleet-path.js'
import { stackPath } from '../../client/stack-path.js'
import { CliError } from '../../errors/cli-error.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { exitCode, exitCodeOfRun } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { fleetChangeLines, fleetPlanLines } from '../../text/fleet-text.js'
import { problemLines } from '../../text/problem-text.js'
import { runLines, runWord } from '../../text/several-stacks-text.js'
import { numberOf } from '../../text/short-forms.js'
import { actOnEach, finishSeveral, printLine } from '../several-stacks.js'
import { followRun } from '../sync/follow-run.js'
import { maySucceed, requestWait } from '../sync/wait-healthy.js'
import type { CreatePreviewOptions } from './create-preview-options.js'
import { namingMissing, type StackOptions } from './stack-options.js'

/** `healthMs`: waits so long until each stack is healthy, too. */
type CreateOptions = StackOptions &
  CreatePreviewOptions & { readonly wait: boolean; readonly healthMs: number | undefined }

interface Created {
  readonly fleet: FleetView
  readonly changes: FleetPlanView['changes']
}

/** Creates the fleet and waits for the first sync of each stack. `--dry-run`: prints which stacks it would create. */
export async function createFleet(
  cli: Invocation,
  stack: StackDocument,
  targets: NonNullable<FleetDocument['targets']>,
  options: CreateOptions,
): Promise<number> {
  const { name, target: _, ...template } = stack
  const document: FleetDocument = { name, targets, template }
  await refuseExisting(cli, name)
  if (options.dryRun === true) return previewFleet(cli, document, options)
  const request = cli.client.request<Created>('PUT', fleetPath(name), { body: document })
  const created = await namingMissing(request, options, cli.cwd)
  const problems = created.fleet.listing?.problems ?? []
  const isInline = template.sources.some(({ kind }) => kind === 'inline')
  const waits = options.wait && !isInline && problems.length === 0
  if (!waits || !cli.out.json)
    cli.out.answer(created, (display) => [
      `Created fleet ${printable(name)}: ${numberOf(created.changes.length, 'stack')}.`,
      ...fleetChangeLines(created.changes, created.fleet, display),
      ...problems.flatMap((one) => problemLines(one, display.style)),
      ...(waits ? [] : nextLines(created, isInline)),
    ])
  if (waits) return followFirstSyncs(cli, created, options.healthMs)
  return problems.length === 0 ? exitCode.ok : exitCode.error
}

/** A fleet is created or replaced by the same request: `stack create` only creates. */
async function refuseExisting(cli: Invocation, fleet: string): Promise<void> {
  try {
    await cli.client.request<FleetView>('GET', fleetPath(fleet))
  } catch (error) {
    if (error instanceof CliError && error.code === 'fleets/unknown') return
    throw error
  }
  throw usageErrors.fleetExists(fleet)
}

async function previewFleet(
  cli: Invocation,
  fleet: FleetDocument,
  { detailedExitcode, ...options }: CreateOptions,
): Promise<number> {
  const request = cli.client.request<FleetPlanView>('POST', fleetPath(fleet.name, 'plan'), { body: { fleet } })
  const plan = await namingMissing(request, options, cli.cwd)
  cli.out.answer(plan, (display) => [
    `Would create fleet ${printable(fleet.name)}. Nothing is created yet.`,
    ...fleetPlanLines(plan, display),
  ])
  if (plan.problems.length > 0) return exitCode.error
  return detailedExitcode === true && plan.changes.length > 0 ? exitCode.changes : exitCode.ok
}

function nextLines({ fleet: { name }, changes }: Created, isInline: boolean): readonly string[] {
  const push = isInline ? changes.map(({ stack }) => `gitmoor stack push ${printable(stack)} -f FILE`) : []
  const see = [`gitmoor fleet get ${printable(name)}`, `gitmoor stack list --fleet ${printable(name)}`]
  return [...push, ...see].map((command) => `  next: ${command}`)
}

/** Prints a line for each stack as its first sync ends, and a summary. Returns the worst exit code. */
async function followFirstSyncs(cli: Invocation, created: Created, healthMs: number | undefined): Promise<number> {
  const follow = async (stack: string): Promise<RunView> => {
    const { lastRun } = await cli.client.request<StackView>('GET', stackPath(stack))
    const run = await followRun(cli, stack, lastRun!.id, () => {})
    if (healthMs !== undefined && maySucceed(run)) await requestWait(cli, stack, healthMs, { for: 'healthy' })
    return run
  }
  const names = created.changes.map(({ stack }) => stack)
  const results = await actOnEach(cli, names, follow, printLine(cli, runLines))
  const lines = (summary: string): readonly string[] => [summary, ...nextLines(created, false)]
  return finishSeveral(cli, results, { key: 'run', word: runWord, exit: exitCodeOfRun, facts: created, lines })
}
