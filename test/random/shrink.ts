// The shortest sequence that still breaks a promise: operations are taken away, first many at once, then one by one.
import { runSequence, type Result, type Sequence } from './sequence.js'

export interface Shrunk {
  readonly sequence: Sequence
  readonly result: Result
}

/** Tries shorter sequences for at most so long. */
export async function shrink(failing: Shrunk, limitMs: number): Promise<Shrunk> {
  let shortest = failing
  const until = Date.now() + limitMs
  for (
    let chunk = Math.ceil(failing.sequence.operations.length / 2);
    chunk >= 1;
    chunk = chunk === 1 ? 0 : Math.ceil(chunk / 2)
  ) {
    for (let at = shortest.sequence.operations.length - chunk; at > -chunk && Date.now() < until; at -= chunk) {
      const shorter = without(shortest.sequence, Math.max(0, at), chunk)
      const result = await runSequence(shorter)
      if (result.violations.length > 0) shortest = { sequence: shorter, result }
    }
  }
  return shortest
}

function without(sequence: Sequence, at: number, count: number): Sequence {
  return { ...sequence, operations: sequence.operations.filter((_, i) => i < at || i >= at + count) }
}

/** What a person needs to know of a failing sequence, and how to run it again. */
export function describeFailure({ sequence, result }: Shrunk): string {
  const { seed, source, stacks, operations } = sequence
  return [
    `Seed ${seed} (${source}) breaks a promise. The shortest sequence found has ${operations.length} operations: ${operations.map(({ kind }) => kind).join(', ')}.`,
    ...result.violations.map((violation) => `  ${violation}`),
    `Stacks: ${JSON.stringify(stacks)}`,
    'What happened:',
    ...result.story.map((line) => `  ${line}`),
    `Again: npm run soak -- --seed ${seed} --sequences 1${source === 'git' ? ' --git' : ''}`,
  ].join('\n')
}
