import type { Command } from 'commander'
import { printable } from '../../lib/text/printable.js'
import type { TargetTestView, TargetView } from '../../views/target.js'
import { maximumListItems, readPages } from '../client/all-pages.js'
import { targetPath } from '../client/target-path.js'
import { exitCode } from '../exit-code.js'
import { choice, type Declare, type Invocation } from '../invocation.js'
import { declaredTargets, targetLines, targetListLines, targetTestLines } from '../text/target-text.js'

type Format = 'yaml' | 'json'

const outputOption = choice('-o, --output <FORMAT>', 'yaml: section of a configuration file; json: same as --json', [
  'yaml',
  'json',
])

/** target list, get, test. */
export function addTargetVerbs(program: Command, declare: Declare): void {
  const target = program.command('target').description('list and test the systems that packages are applied to')
  const list = {
    usage: 'list',
    summary: 'list targets and how many stacks they have',
    example: 'target list -l env=prod',
    options: [['-l, --selector <SELECTOR>', 'targets with these labels: env=prod,tier!=test'], outputOption],
  } as const
  declare<{ selector?: string; output?: Format }>(target, list, async (cli, _, { selector, output }) => {
    const page = await readPages<TargetView>(cli.client, '/api/v1/targets', { selector }, maximumListItems)
    if (output === 'json') cli.out.answerJson(page)
    else if (output === 'yaml') await answerYaml(cli, page, page.items)
    else cli.out.answer(page, (display) => targetListLines(page.items, display, selector))
    return exitCode.ok
  })
  const get = {
    usage: 'get TARGET',
    summary: 'show a target and its settings',
    example: 'target get local -o yaml',
    notes: 'Does not connect to the target.',
    options: [outputOption],
  }
  declare<{ output?: Format }>(target, get, async (cli, [name = ''], { output }) => {
    const view = await cli.client.request<TargetView>('GET', targetPath(name))
    if (output === 'json') cli.out.answerJson(view)
    else if (output === 'yaml') await answerYaml(cli, view, [view])
    else cli.out.answer(view, (display) => targetLines(view, display))
    return exitCode.ok
  })
  const test = {
    usage: 'test TARGET',
    summary: 'connect to a target, and show its version and what gitmoor may not do there',
    example: 'target test local',
    notes: 'Writes nothing. Exit code 6 if the target fails; warnings count only with --strict.',
    options: [['--strict', 'exit code 6 also after warnings, such as a missing right']],
  } as const
  declare<{ strict?: true }>(target, test, async (cli, [name = ''], { strict = false }) => {
    const tested = await cli.client.request<TargetTestView>('POST', targetPath(name, 'test'))
    cli.out.answer(tested, (display) => targetTestLines(tested, display))
    return tested.ok && !(strict && tested.warnings.length > 0) ? exitCode.ok : exitCode.target
  })
}

async function answerYaml(cli: Invocation, answer: object, targets: readonly TargetView[]): Promise<void> {
  const { stringify } = await import('yaml')
  const text = stringify({ targets: declaredTargets(targets) }, { lineWidth: 0, aliasDuplicateObjects: false })
  cli.out.answer(answer, () => text.trimEnd().split('\n').map(printable))
}
