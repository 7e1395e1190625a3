import type { Command } from 'commander'
import type { Explanation, ResourceDetail, ResourceExplanation } from '../stacks/views.js'
import { askPages, everything } from './all-pages.js'
import { exitCode } from './exit-code.js'
import { explanationLines } from './explanation-text.js'
import { detailLines, explainedLines } from './explained-text.js'
import { stackPath } from './follow-run.js'
import type { Declare, Invocation } from './invocation.js'
import { limitOption } from './limit-option.js'

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
    address === '' ? explainStack(at, name, at.out.json ? everything : limit) : explainOne(at, name, address),
  )
}

async function explainStack(at: Invocation, name: string, most: number): Promise<number> {
  const explanation = await at.client.ask<Explanation>('GET', stackPath(name, 'explain'))
  const resources = await askPages<ResourceExplanation>(at.client, stackPath(name, 'explain', 'resources'), {}, most)
  at.out.answer({ ...explanation, resources }, (look) => [
    ...explanationLines(explanation, look),
    ...explainedLines(resources, look),
  ])
  return exitCode.ok
}

async function explainOne(at: Invocation, name: string, address: string): Promise<number> {
  const detail = await at.client.ask<ResourceDetail>('GET', stackPath(name, 'explain', 'resource'), {
    query: { address },
  })
  at.out.answer(detail, (look) => detailLines(detail, look))
  return exitCode.ok
}
