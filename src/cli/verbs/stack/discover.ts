import type { Command } from 'commander'
import { printable } from '../../../lib/printable.js'
import type { DiscoveredPackage, DiscoveryView } from '../../../views/discovery.js'
import type { StackView } from '../../../views/stack.js'
import { discoveryLines, skipReason } from '../../text/discovery-text.js'
import { exitCode } from '../../exit-code.js'
import type { Declare, Invocation } from '../../invocation.js'
import { repositoryAddress } from './stack-options.js'
import { UsageError } from '../../cli-error.js'

interface DiscoverOptions {
  readonly repo?: string
  readonly ref?: string
  readonly path?: string
  readonly target?: string
  readonly prefix?: string
  readonly create?: true
  readonly yes?: true
}

/** stack discover: the packages of a repository, and with --create a stack for each. */
export function addDiscover(stack: Command, declare: Declare): void {
  const discover = {
    usage: 'discover',
    summary: 'list the packages of a repository; with --create make a stack for each',
    example: 'stack discover --repo https://github.com/acme/boards --create',
    notes:
      'A package is a folder with package files of its own. What a stack reads already, what has errors and what takes in others is left.',
    options: [
      ['--repo <URL>', 'git repository: https, http, ssh, or a local directory'],
      ['--ref <REF>', 'branch, tag, commit, HEAD or semver:RANGE to look at and to follow'],
      ['--path <PATH>', 'folder of the repository below which to look'],
      ['--target <NAME>', 'target of the stacks (default: local)'],
      ['--prefix <TEXT>', 'stands before the names of stacks, such as team-'],
      ['--create', 'make the stacks, after showing which'],
      ['--yes', 'do not ask'],
    ],
  } as const
  declare<DiscoverOptions>(stack, discover, async (at, _, { repo, create, yes, ...more }) => {
    if (repo === undefined) throw new UsageError('Which repository? --repo URL is needed.')
    const body = { url: await repositoryAddress(repo, at.cwd), ...more }
    const found = await at.client.request<DiscoveryView>('POST', '/api/v1/discover', { body })
    if (create !== true) at.out.answer(found, (look) => discoveryLines(found, look))
    else await createAll(at, found, { target: more.target, yes: yes === true })
    return exitCode.ok
  })
}

async function createAll(
  at: Invocation,
  found: DiscoveryView,
  { target, yes }: { readonly target: string | undefined; readonly yes: boolean },
): Promise<void> {
  const selected = found.packages.filter((one) => skipReason(one) === undefined)
  if (!at.out.json) at.out.message((look) => discoveryLines(found, look))
  if (selected.length > 0 && !yes) {
    const { confirm } = await import('../../confirm.js')
    await confirm(at, selected.length === 1 ? 'Make this stack?' : `Make these ${selected.length} stacks?`)
  }
  const made: { readonly stack: string; readonly path: string; readonly run: string }[] = []
  for (const one of selected) made.push(await createOne(at, found, { ...one, target }))
  at.out.answer({ ...found, made }, () =>
    made.length === 0
      ? ['No stack is made.']
      : made.map(
          ({ stack, path, run }) =>
            `${printable(stack)} is made for ${printable(path) || 'the root'}; its first sync is run ${printable(run)}.`,
        ),
  )
}

async function createOne(
  at: Invocation,
  { url, ref }: DiscoveryView,
  { name, path, target }: DiscoveredPackage & { readonly target: string | undefined },
): Promise<{ readonly stack: string; readonly path: string; readonly run: string }> {
  const body = { name, target, sources: [{ url, ref, path }] }
  const { stack, run } = await at.client.request<{ stack: StackView; run: string }>('POST', '/api/v1/stacks', { body })
  return { stack: stack.name, path, run }
}
