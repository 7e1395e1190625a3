import type { Command } from 'commander'
import type { Explanation, ResourceDetail, ResourceExplanation } from '../../views/explanation.js'
import { readPages, maximumListItems } from '../client/all-pages.js'
import { exitCode } from '../exit-code.js'
import { explanationLines } from '../text/explanation-text.js'
import { resourceDetailLines, resourceExplanationLines } from '../text/resource-explanation-text.js'
import { stackPath } from './follow-run.js'
import type { Declare, Invocation } from '../invocation.js'
import { limitOption } from './shared-options.js'

export function addExplainVerb(program: Command, declare: Declare): void {
  const explain = {
    usage: 'explain NAME [ADDRESS]',
    summary:
      'why it is as it is: last run, what holds it and what frees it, and why each thing was changed last; or all of one thing',
    example: 'explain boards Dashboard/ops',
    notes: 'With --json all things are in `resources`, else the newest changes (--limit).',
    options: [limitOption()],
  }
  declare<{ limit: number }>(program, explain, (at, [name = '', address = ''], { limit }) =>
    address === '' ? explainStack(at, name, at.out.json ? maximumListItems : limit) : explainOne(at, name, address),
  )
}

async function explainStack(at: Invocation, name: string, most: number): Promise<number> {
  const explanation = await at.client.request<Explanation>('GET', stackPath(name, 'explain'))
  const resources = await readPages<ResourceExplanation>(at.client, stackPath(name, 'explain', 'resources'), {}, most)
  at.out.answer({ ...explanation, resources }, (look) => [
    ...explanationLines(explanation, look),
    ...resourceExplanationLines(resources, look),
  ])
  return exitCode.ok
}

async function explainOne(at: Invocation, name: string, address: string): Promise<number> {
  const detail = await at.client.request<ResourceDetail>('GET', stackPath(name, 'explain', 'resource'), {
    query: { address },
  })
  at.out.answer(detail, (look) => resourceDetailLines(detail, look))
  return exitCode.ok
}
