import type { Command } from 'commander'
import { printable } from '../../lib/text/printable.js'
import type { Explanation, ResourceDetail, ResourceExplanation } from '../../views/explanation.js'
import { maximumListItems, readPages } from '../client/all-pages.js'
import { stackPath } from '../client/stack-path.js'
import { exitCode } from '../exit-code.js'
import { explanationLines } from '../text/explanation-text.js'
import { resourceDetailLines, resourceExplanationLines } from '../text/resource-explanation-text.js'
import { inFull } from '../text/text.js'
import type { Declare, Invocation } from '../invocation.js'
import { limitOption } from './shared-options.js'

interface ExplainOptions {
  readonly limit: number
  readonly full?: true
}

export function addExplainVerb(program: Command, declare: Declare): void {
  const explain = {
    usage: 'explain NAME [ADDRESS]',
    summary: 'explain the state of a stack: last run, blockers and last changes; or explain one resource',
    example: 'explain boards Dashboard/ops',
    notes: 'Lists the newest changes (--limit). With --json, `resources` has all resources.',
    options: [limitOption(), ['--full', 'with ADDRESS: print everything, also long values and empty fields']],
  } as const
  declare<ExplainOptions>(program, explain, (cli, [name = '', address = ''], { limit, full }) =>
    address === ''
      ? explainStack(cli, name, cli.out.json ? maximumListItems : limit)
      : explainOne(cli, { name, address, full }),
  )
}

async function explainStack(cli: Invocation, name: string, maximum: number): Promise<number> {
  const explanation = await cli.client.request<Explanation>('GET', stackPath(name, 'explain'))
  const resources = await readPages<ResourceExplanation>(
    cli.client,
    stackPath(name, 'explain', 'resources'),
    {},
    maximum,
  )
  cli.out.answer({ ...explanation, resources }, (display) => [
    ...explanationLines(explanation, display),
    ...resourceExplanationLines(resources, display),
  ])
  return exitCode.ok
}

async function explainOne(
  cli: Invocation,
  { name, address, full }: { readonly name: string; readonly address: string; readonly full: true | undefined },
): Promise<number> {
  const detail = await cli.client.request<ResourceDetail>('GET', stackPath(name, 'explain', 'resources', address))
  const again = `gitmoor explain ${printable(name)} ${printable(address)} --full`
  cli.out.answer(detail, (display) => resourceDetailLines(detail, inFull(display, full), again))
  return exitCode.ok
}
