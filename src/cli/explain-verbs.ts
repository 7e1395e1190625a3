import type { Command } from 'commander'
import type { Explanation } from '../stacks/views.js'
import { exitCode } from './exit-code.js'
import { explanationLines } from './explanation-text.js'
import { stackPath } from './follow-run.js'
import type { Declare } from './invocation.js'

export function addExplainVerb(program: Command, declare: Declare): void {
  const explain = {
    usage: 'explain NAME',
    summary: 'why it is as it is: last run, what holds it, when it looks next',
    example: 'explain boards',
  }
  declare(program, explain, async (at, [name = '']) => {
    const explanation = await at.client.ask<Explanation>('GET', stackPath(name, 'explain'))
    at.out.answer(explanation, (look) => explanationLines(explanation, look))
    return exitCode.ok
  })
}
