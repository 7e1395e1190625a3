import type { Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { RunRow } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import { exitCode } from '../exit-code.js'
import { stackPath } from '../client/stack-path.js'
import { finishRun } from './follow-run.js'
import type { Declare } from '../invocation.js'
import { overrideBody, overrideOptions, type OverrideOptions } from './shared-options.js'

export function addRollbackVerb(program: Command, declare: Declare): void {
  const rollback = {
    usage: 'rollback NAME RUN',
    summary: 'roll back to what a run applied, until unpinned or until a new revision',
    example: 'rollback boards 12 --why "the CPU chart is wrong"',
    options: overrideOptions,
  } as const
  declare<OverrideOptions>(program, rollback, async (cli, [name = '', run = ''], { why = '', ...override }) =>
    finishRun(
      cli,
      name,
      await cli.client.request<RunRow>('POST', stackPath(name, 'rollback'), {
        body: { ...overrideBody(override), run, why },
      }),
    ),
  )
}

export function addUnpinVerb(program: Command, declare: Declare): void {
  const unpin = {
    usage: 'unpin NAME',
    summary: 'end a rollback and follow the ref again',
    example: 'unpin boards',
    options: overrideOptions,
  }
  declare<OverrideOptions>(program, unpin, async (cli, [name = ''], override) => {
    const { stack, run } = await cli.client.request<{ stack: StackView; run: string | null }>(
      'POST',
      stackPath(name, 'unpin'),
      { body: overrideBody(override) },
    )
    if (run !== null) return finishRun(cli, name, { id: run })
    cli.out.answer(stack, () => [`Unpinned ${printable(stack.name)}.`])
    return exitCode.ok
  })
}
