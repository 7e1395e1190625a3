import type { Command } from 'commander'
import { printable } from '../../../lib/printable.js'
import type { DiscoveredPackage, DiscoveryView } from '../../../views/discovery.js'
import type { StackView } from '../../../views/stack.js'
import { discoveryLines, skipReason } from '../../text/discovery-text.js'
import { exitCode } from '../../exit-code.js'
import type { Declare, Invocation } from '../../invocation.js'
import type { LabelChange } from '../../../model/stack.js'
import { labelOption, withLabels } from './label-option.js'
import { repositoryAddress } from './stack-options.js'
import { usageErrors } from '../../cli-errors.js'

interface DiscoverOptions {
  readonly repo?: string
  readonly ref?: string
  readonly path?: string
  readonly target?: string
  readonly prefix?: string
  readonly label?: LabelChange
  readonly create?: true
  readonly yes?: true
}

/** Settings of all created stacks. */
interface DiscoveredSettings {
  readonly target: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** stack discover: lists the packages of a repository; with --create, creates a stack for each. */
export function addDiscover(stack: Command, declare: Declare): void {
  const discover = {
    usage: 'discover',
    summary: 'list the packages of a repository; with --create, create a stack for each',
    example: 'stack discover --repo https://github.com/acme/boards --create',
    notes:
      'A package is a directory with package files of its own.\n' +
      '--create skips packages that a stack already reads, that have errors, or that include other packages.',
    options: [
      ['--repo <URL>', 'Git repository: https, http, ssh or a local directory (required)'],
      ['--ref <REF>', 'branch, tag, commit, HEAD or semver:RANGE to read and to follow'],
      ['--path <PATH>', 'directory of the repository to search'],
      ['--target <TARGET>', 'target of the stacks (default: local)'],
      ['--prefix <TEXT>', 'prefix of stack names, such as team-'],
      labelOption(),
      ['--create', 'show the stacks, ask for confirmation, and create them'],
      ['--yes', 'skip the confirmation'],
    ],
  } as const
  declare<DiscoverOptions>(stack, discover, async (cli, _, { repo, create, yes, label = {}, ...more }) => {
    if (repo === undefined) throw usageErrors.noRepository()
    const body = { url: await repositoryAddress(repo, cli.cwd), ...more }
    const found = await cli.client.request<DiscoveryView>('POST', '/api/v1/discover', { body })
    if (create !== true) cli.out.answer(found, (display) => discoveryLines(found, display))
    else await createAll(cli, found, { target: more.target, labels: withLabels({}, label), yes: yes === true })
    return exitCode.ok
  })
}

async function createAll(
  cli: Invocation,
  found: DiscoveryView,
  { yes, ...settings }: DiscoveredSettings & { readonly yes: boolean },
): Promise<void> {
  const selected = found.packages.filter((one) => skipReason(one) === undefined)
  if (!cli.out.json) cli.out.message((display) => discoveryLines(found, display))
  if (selected.length > 0 && !yes) {
    const { confirm } = await import('../../confirm.js')
    await confirm(cli, selected.length === 1 ? 'Create this stack?' : `Create these ${selected.length} stacks?`)
  }
  const created: { readonly stack: string; readonly path: string; readonly run: string }[] = []
  for (const one of selected) created.push(await createOne(cli, found, { ...one, ...settings }))
  cli.out.answer({ ...found, created }, () =>
    created.length === 0
      ? ['No stacks created.']
      : created.map(({ stack, path, run }) => {
          const directory = printable(path) || 'the root'
          return `Created ${printable(stack)} for ${directory}. Its first sync is run ${printable(run)}.`
        }),
  )
}

async function createOne(
  cli: Invocation,
  { url, ref }: DiscoveryView,
  { name, path, target, labels }: DiscoveredPackage & DiscoveredSettings,
): Promise<{ readonly stack: string; readonly path: string; readonly run: string }> {
  const body = { name, target, labels, sources: [{ url, ref, path }] }
  const { stack, run } = await cli.client.request<{ stack: StackView; run: string }>('POST', '/api/v1/stacks', { body })
  return { stack: stack.name, path, run }
}
