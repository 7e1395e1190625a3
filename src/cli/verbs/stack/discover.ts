import { Option, type Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import { Semaphore } from '../../../lib/async/semaphore.js'
import type { DiscoveredPackage, DiscoveryView } from '../../../views/packages/discovery.js'
import type { UnmanagedView } from '../../../views/packages/unmanaged.js'
import type { StackView } from '../../../views/stack.js'
import { targetPath } from '../../client/target-path.js'
import { problemLines } from '../../text/problem-text.js'
import { discoveryLines, skipReason } from '../../text/discovery-text.js'
import { errorValue } from '../../text/error-text.js'
import { summaryLine, type StackResult } from '../../text/several-stacks-text.js'
import { exitCode, worstExitCode } from '../../exit-code.js'
import type { Declare, Invocation } from '../../invocation.js'
import type { LabelChange } from '../../../model/stacks/stack.js'
import { actOnEach, printLine } from '../several-stacks.js'
import { yesOption } from '../shared-options.js'
import { labelOption, withLabels } from './label-option.js'
import { namingMissing, repositoryAddress } from './stack-options.js'
import type { ConfirmOptions } from '../../confirm.js'
import { usageErrors } from '../../errors/usage-errors.js'

interface DiscoverOptions {
  readonly repo?: string
  readonly ref?: string
  readonly path?: string
  readonly target?: string
  readonly prefix?: string
  readonly label?: LabelChange
  readonly create?: true
  readonly follow?: string
  readonly yes?: true
}

/** Settings of all created stacks. */
interface DiscoveredSettings {
  readonly target: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** stack discover: the packages of a repository, with a stack for each or a fleet; or what no stack manages. */
export function addDiscover(stack: Command, declare: Declare): void {
  const discover = {
    usage: 'discover',
    summary: 'list the packages of a repository; create a stack for each, or a fleet; list what no stack manages',
    example: 'stack discover --repo https://github.com/acme/boards --create',
    notes:
      'A package is a directory with package files of its own.\n' +
      '--create skips packages that a stack already reads, that have errors, or that include other packages.\n' +
      'With --target and without --repo: what exists on the target and no stack manages.',
    options: [
      ['--repo <URL>', 'Git repository: https, http, ssh or a local directory'],
      ['--ref <REF>', 'branch, tag, commit, HEAD or semver:RANGE to read and to follow'],
      ['--path <PATH>', 'directory of the repository to search'],
      ['--target <TARGET>', 'target of the stacks (default: local); without --repo: the target to read'],
      ['--prefix <TEXT>', 'prefix of stack names, such as team-'],
      labelOption(),
      new Option('--create', 'show the stacks, ask for confirmation, and create them').conflicts('follow'),
      ['--follow <FLEET>', 'the same with a fleet: packages that appear later become stacks, too'],
      yesOption,
    ] as const,
  }
  declare<DiscoverOptions>(stack, discover, async (cli, _, { repo, create, follow, yes, label = {}, ...more }) => {
    if (repo === undefined) {
      const { target, ...others } = more
      if (target === undefined || create || follow || Object.keys(others).length > 0) throw usageErrors.noRepository()
      return listUnmanaged(cli, target)
    }
    const body = { url: await repositoryAddress(repo, cli.cwd), ...more }
    const discovery = cli.client.request<DiscoveryView>('POST', '/api/v1/discover', { body })
    const found = await namingMissing(discovery, { repo }, cli.cwd)
    if (follow !== undefined) {
      const { followPackages } = await import('./follow-packages.js')
      const { prefix, target } = more
      return followPackages(cli, found, { fleet: follow, prefix, target, labels: withLabels({}, label) }, { yes })
    }
    if (create === true) return createAll(cli, found, { target: more.target, labels: withLabels({}, label), yes })
    cli.out.answer(found, (display) => discoveryLines(found, display))
    return exitCode.ok
  })
}

/** What exists on a target and no stack manages. */
async function listUnmanaged(cli: Invocation, target: string): Promise<number> {
  const { unmanagedLines } = await import('../../text/unmanaged-text.js')
  const view = await cli.client.request<UnmanagedView>('GET', targetPath(target, 'unmanaged'))
  cli.out.answer(view, (display) => unmanagedLines(view, display))
  if (!cli.out.json)
    cli.out.message(({ style }) =>
      view.warnings.flatMap((warning) => problemLines({ severity: 'warning', ...warning }, style)),
    )
  return exitCode.ok
}

interface CreatedStack {
  readonly stack: string
  readonly path: string
  readonly run: string
}

/** Creates the stacks in the order of the list. An error of one does not stop the others. */
async function createAll(
  cli: Invocation,
  found: DiscoveryView,
  { yes, ...settings }: DiscoveredSettings & ConfirmOptions,
): Promise<number> {
  const packages = found.packages.filter((one) => skipReason(one) === undefined)
  const selected = new Map(packages.map((one) => [one.name, { ...one, ...settings }]))
  if (!cli.out.json) cli.out.message((display) => discoveryLines(found, display))
  if (selected.size > 0) {
    const { confirm } = await import('../../confirm.js')
    await confirm(cli, selected.size === 1 ? 'Create this stack?' : `Create these ${selected.size} stacks?`, { yes })
  }
  const inOrder = new Semaphore(1)
  const results = await actOnEach(
    cli,
    [...selected.keys()],
    (name, signal) => inOrder.run(() => createOne(cli, found, selected.get(name)!), signal),
    printLine<CreatedStack>(cli, (_, created) => createdLine(created)),
  )
  return reportCreated(cli, found, results)
}

function reportCreated(cli: Invocation, found: DiscoveryView, results: readonly StackResult<CreatedStack>[]): number {
  const created = results.flatMap((result) => ('error' in result ? [] : [result.value]))
  const refused = results.flatMap((result) =>
    'error' in result ? [{ name: result.name, ...errorValue(result.error) }] : [],
  )
  const words = results.map((result) => ('error' in result ? 'refused' : 'created'))
  cli.out.answer({ ...found, created, ...(refused.length === 0 ? {} : { refused }) }, () => [
    words.length === 0 ? 'No stacks created.' : summaryLine(words),
  ])
  return worstExitCode(results.map((result) => ('error' in result ? result.error.exit : exitCode.ok)))
}

function createdLine({ stack, path, run }: CreatedStack): string {
  return `Created ${printable(stack)} for ${printable(path) || 'the root'}. Its first sync is run ${printable(run)}.`
}

async function createOne(
  cli: Invocation,
  { url, ref }: DiscoveryView,
  { name, path, target, labels }: DiscoveredPackage & DiscoveredSettings,
): Promise<CreatedStack> {
  const body = { name, target, labels, sources: [{ url, ref, path }] }
  const { stack, run } = await cli.client.request<{ stack: StackView; run: string }>('POST', '/api/v1/stacks', { body })
  return { stack: stack.name, path, run }
}
