// Runs random sequences and prints the shortest failing one. Options: --seed N --sequences N [--hours N] [--git]
// [--keep-going].
import { parseArgs } from 'node:util'
import type { PlatformUnderTest } from '../plain/under-test.js'
import { checked } from './check.js'
import { randomSequence, runSequence } from './sequence.js'
import { describeFailure, shrink } from './shrink.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    sequences: { type: 'string', default: '1000' },
    /** Of each sequence, by its own clock. */
    hours: { type: 'string' },
    git: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
  },
})

/** Gives the exit code. */
export async function soak(on: PlatformUnderTest): Promise<number> {
  const [seed, sequences] = [Number(values.seed), Number(values.sequences)]
  const began = Date.now()
  let failed = 0
  for (let i = 0; i < sequences; i++) {
    const sequence = randomSequence(seed + i, values.git ? 'git' : 'memory', {
      on,
      hours: values.hours === undefined ? undefined : Number(values.hours),
    })
    const result = await runSequence(sequence)
    if (result.violations.length > 0) {
      failed++
      console.log(describeFailure(await shrink({ sequence, result }, 60_000)))
      if (!values['keep-going']) break
    }
    if ((i + 1) % 500 === 0) console.log(`${i + 1} sequences in ${Math.round((Date.now() - began) / 1000)} s`)
  }
  const { rests, applied, refused, invalid, resources } = checked
  console.log(
    `${failed === 0 ? 'All promises held.' : `${failed} sequences broke a promise.`} ${Math.round((Date.now() - began) / 1000)} s`,
  )
  console.log(
    `At rest ${rests} times: ${applied} stacks applied, ${refused} refused, ${invalid} with a package in error; ${resources} resources compared.`,
  )
  return failed === 0 ? 0 : 1
}
