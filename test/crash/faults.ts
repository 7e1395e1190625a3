// A target that fails on demand. The agent keeps running, and continues when the test moves its clock.
import { rmSync } from 'node:fs'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import type { Clock } from '../../src/lib/clock.js'
import { copyOf, type Prepared } from './matrix.js'
import { astray, changedIds, differences, takePicture, type Picture } from './picture.js'
import { refuse, type ScenarioName } from './scenarios.js'
import { both, callText, type Around, type Call } from './watched.js'
import { openWorld, untilSettled, type StoredState } from './world.js'

/** How long a target is unreachable. */
const awayMs = 60_000

export type Fault = (n: number, clock: () => Clock) => Around

/** What happens at the n-th write. */
export const faults = {
  'the answer to a write is lost': (n) =>
    atWrite(n, async (call, make) => {
      await make().catch(() => {})
      throw gone(call)
    }),
  'a write is refused': (n) =>
    atWrite(n, (call) =>
      Promise.reject(new Rejected(`The target refused to ${callText(call)}.`, { code: 'platform/refused' })),
    ),
  'the target is unreachable for a minute after a write': (n, clock) => {
    let until: number | undefined
    const count = atWrite(n, (_, make) => {
      until = clock().now() + awayMs
      return make()
    })
    return (call, make) =>
      count(call, () => {
        const isAway = call.of === 'driver' && until !== undefined && clock().now() < until
        return isAway ? Promise.reject(gone(call)) : make()
      })
  },
} satisfies Record<string, Fault>

function atWrite(n: number, happen: Around): Around {
  let count = 0
  return (call, make) => (isWrite(call) && ++count === n ? happen(call, make) : make())
}

function isWrite({ of, verb }: Call): boolean {
  return of === 'driver' && ['create', 'update', 'remove'].includes(verb)
}

function gone(call: Call): Unavailable {
  return new Unavailable(`No answer to ${callText(call)}.`, { code: 'platform/gone' })
}

export interface Ended {
  readonly before: Picture
  readonly picture: Picture
  readonly stored: readonly StoredState[]
  /** Requested writes. */
  readonly writes: number
}

/** The scenario in this process with a fault at the n-th write; null: without one. */
export async function endWith(
  prepared: Prepared,
  fault: { readonly is: Fault; readonly at: number } | null,
  concurrency = 1,
): Promise<Ended> {
  const { scenario, before, on } = prepared
  const data = await copyOf(prepared)
  let writes = 0
  let clock: Clock | undefined
  const count: Around = (call, make) => {
    if (isWrite(call)) writes++
    return make()
  }
  const around =
    fault === null
      ? count
      : both(
          count,
          fault.is(fault.at, () => clock!),
        )
  try {
    await using world = openWorld({
      data,
      scenario,
      concurrency,
      on,
      around: both(around, refuse(scenario)),
    })
    clock = world.clock
    await world.agent.start()
    const stored = await untilSettled(world, prepared.revisions)
    return { before, picture: await takePicture(world.store, on), stored, writes }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** The scenarios of each policy. */
export const policies = {
  undo: [
    'a first apply',
    'an update',
    'a removal',
    'a move',
    'an undo',
    'an undo that is partly refused',
    'an undo of incomplete creates',
  ],
  continue: ['a first apply', 'an update', 'a removal', 'a move'],
} satisfies Record<string, readonly ScenarioName[]>

/** The problems of an end. `calm`: the end without a fault. */
type Judge = (ended: Ended, calm: Ended) => readonly string[]

function judges(
  { before, name }: Prepared,
  policy: keyof typeof policies,
): Readonly<Record<keyof typeof faults, Judge>> {
  const asIfNothingHappened: Judge = ({ picture }, calm) => [
    ...differences(calm.picture, picture),
    ...changedIds({ before: calm.before, after: calm.picture }, { before, after: picture }),
  ]
  const asBefore: Judge = ({ picture, stored }) =>
    stored.some(({ stack }) => stack.failure?.reason === 'UndoIncomplete')
      ? astray(picture)
      : differences(before, picture)
  /** What was being written when the target went away may have happened or not, and not all of it can be undone. */
  const asCalmOrBefore: Judge = ({ picture }, calm) => [
    ...astray(picture),
    ...picture.resources
      .filter((one) => !calm.picture.resources.includes(one) && !before.resources.includes(one))
      .map((one) => `neither before nor without a fault: ${one}`),
    ...before.resources
      .filter((one) => calm.picture.resources.includes(one) && !picture.resources.includes(one))
      .map((one) => `not on the target: ${one}`),
  ]
  return {
    'the answer to a write is lost': asIfNothingHappened,
    'a write is refused': policy === 'undo' ? asBefore : ({ picture }) => astray(picture),
    'the target is unreachable for a minute after a write':
      name === 'an undo that is partly refused' ? asCalmOrBefore : asIfNothingHappened,
  }
}

/** A fault in a scenario whose end without one is known. */
export interface Trial {
  readonly prepared: Prepared
  readonly calm: Ended
  readonly fault: keyof typeof faults
  readonly policy: keyof typeof policies
}

/** The problems after the fault at each of these writes in turn. */
export async function wrongAt(
  writes: readonly number[],
  { prepared, calm, fault, policy }: Trial,
): Promise<readonly string[]> {
  const judge = judges(prepared, policy)[fault]
  const wrong: string[] = []
  for (const at of writes) {
    const ended = await endWith(prepared, { is: faults[fault], at }, at % 2 === 0 ? 32 : 1).catch((error: unknown) =>
      String(error),
    )
    const problems = typeof ended === 'string' ? [ended] : judge(ended, calm)
    wrong.push(...problems.map((problem) => `at write ${at}: ${problem}`))
  }
  return wrong
}
