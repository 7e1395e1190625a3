import type { Command } from 'commander'
import { printable } from '../../../lib/text/printable.js'
import type { RunComparison } from '../../../views/run.js'
import { stackPath } from '../../client/stack-path.js'
import { exitCode } from '../../exit-code.js'
import type { Declare } from '../../invocation.js'
import { comparisonLines } from '../../text/comparison-text.js'
import { inFull } from '../../text/text.js'
import { readRunId } from '../shared-options.js'

/** stack compare: what two runs declare differently. */
export function addCompare(stack: Command, declare: Declare): void {
  const compare = {
    usage: 'compare NAME RUN RUN',
    summary: 'show what two runs declare differently, and their settings, from the first to the second',
    example: 'stack compare boards 12 15',
    notes: 'Uses the stored files and settings of the runs. Reads no target.',
    options: [['--full', 'print everything, also long values and empty fields']],
  } as const
  declare<{ readonly full?: true }>(stack, compare, async (cli, [name = '', a = '', b = ''], { full }) => {
    const path = stackPath(name, 'runs', readRunId(name, a), 'compare', readRunId(name, b))
    const found = await cli.client.request<RunComparison>('GET', path)
    const again = `gitmoor stack compare ${printable(name)} ${printable(a)} ${printable(b)} --full`
    cli.out.answer(found, (display) => comparisonLines(found, inFull(display, full), again))
    return exitCode.ok
  })
}
