import type { Command } from 'commander'
import { printable } from '../../lib/printable.js'
import type { RunRow } from '../../views/run.js'
import type { StackView } from '../../views/stack.js'
import { exitCode } from '../exit-code.js'
import { finishRun, stackPath } from './follow-run.js'
import type { Declare } from '../invocation.js'
import { overrideBody, overrideOptions, type OverrideOptions } from './shared-options.js'

export function addRollbackVerb(program: Command, declare: Declare): void {
  const rollback = {
    usage: 'rollback NAME RUN',
    summary: 'go back to what a run applied, and stay there until unpinned or a new revision appears',
    example: 'rollback boards 12 --why "the CPU chart is wrong"',
    options: overrideOptions('the reason, for the record'),
  } as const
  declare<OverrideOptions>(program, rollback, async (at, [name = '', run = ''], { why = '', ...override }) =>
    finishRun(
      at,
      name,
      await at.client.request<RunRow>('POST', stackPath(name, 'rollback'), {
        body: { ...overrideBody(override), run, why },
      }),
    ),
  )
}

export function addUnpinVerb(program: Command, declare: Declare): void {
  const options = overrideOptions()
  const unpin = {
    usage: 'unpin NAME',
    summary: 'end a roll back: follow the ref again',
    example: 'unpin boards',
    options,
  }
  declare<OverrideOptions>(program, unpin, async (at, [name = ''], override) => {
    const { stack, run } = await at.client.request<{ stack: StackView; run: string | null }>(
      'POST',
      stackPath(name, 'unpin'),
      {
        body: overrideBody(override),
      },
    )
    if (run !== null) return finishRun(at, name, { id: run })
    at.out.answer(stack, () => [`${printable(stack.name)} is not pinned any more.`])
    return exitCode.ok
  })
}
