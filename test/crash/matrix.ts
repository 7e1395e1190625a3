// The crash matrix: a process is killed at a point, another takes over, and what it leaves is compared with what an
// uninterrupted run leaves. A copy of the data directory at a point is what a kill would leave, and costs no process.
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { plain, type PlatformUnderTest } from '../plain/under-test.js'
import type { ChildOrder } from './run-child.js'
import { changedIds, differences, takePicture, type Picture } from './picture.js'
import { endAt, stopAt, type Point } from './points.js'
import { packageText, refuse, scenarios, type Scenario, type ScenarioName } from './scenarios.js'
import { both, type Around } from './watched.js'
import {
  declareStack,
  leaveReading,
  openWorld,
  push,
  stackNames,
  stored,
  untilSettled,
  type Revisions,
  type StoredState,
  type World,
} from './world.js'

/** A data directory just before a scenario begins, copied for each of its points. */
export interface Prepared extends Disposable {
  readonly name: ScenarioName
  readonly scenario: Scenario
  readonly on: PlatformUnderTest
  readonly root: string
  readonly data: string
  readonly revisions: Revisions
  readonly before: Picture
}

/** What an uninterrupted run leaves, and the calls it makes. */
export interface Reference {
  readonly calls: readonly string[]
  readonly before: Picture
  readonly picture: Picture
  readonly stored: readonly StoredState[]
}

export interface Pace {
  readonly concurrency: number
  readonly mutant?: Exclude<ChildOrder['mutant'], undefined>
}

/** `entry`: the compiled child.ts. */
export class Matrix {
  readonly #entry: string

  constructor(entry: string) {
    this.#entry = entry
  }

  /**
   * `endedAt`: the call after which the earlier process of the scenario is killed. Default: found by a run on the
   * prepared directory, so it is needed where the target is outside of it.
   */
  async prepare(name: ScenarioName, { endedAt, ...options }: MatrixOptions = {}): Promise<Prepared> {
    const prepared = await prepare(name, options)
    if (prepared.scenario.endedAfter === undefined) return prepared
    const call = endedAt ?? (await callOfEarlierEnd(prepared))
    const killed = await this.#run(prepared, prepared.data, { concurrency: 1 }, { call, when: 'after' })
    if (killed.signal !== 'SIGKILL') throw new Error(`The process was not ended: ${killed.stderr}`)
    return prepared
  }

  /** The problems after a process was killed at the point and another continued; empty: none. */
  async tryPoint(prepared: Prepared, reference: Reference, pace: Pace, point: Point): Promise<readonly string[]> {
    const data = await copyOf(prepared)
    try {
      const killed = await this.#run(prepared, data, pace, point)
      if (killed.signal !== 'SIGKILL') return [`the point was not reached: ${killed.stderr}`]
      return await takeOver({ data, pace }, prepared, reference)
    } catch (error) {
      return [errorText(error)]
    } finally {
      rmSync(data, { recursive: true, force: true })
    }
  }

  #run(
    { name: scenario, revisions, on }: Prepared,
    data: string,
    pace: Pace,
    point: Point | null,
  ): Promise<{ readonly signal: string | undefined; readonly stdout: string; readonly stderr: string }> {
    const order: ChildOrder = { data, revisions, scenario, point, ...pace }
    const env = { ...process.env, ...on.environment }
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [this.#entry, JSON.stringify(order)],
        { env, timeout: 100_000 },
        (error, stdout, stderr) => resolve({ signal: error?.signal ?? undefined, stdout, stderr }),
      )
    })
  }
}

/** The call after which the earlier process of the scenario is killed. Makes a run without a kill. */
export async function callOfEarlierEnd(prepared: Prepared): Promise<number> {
  const { endedAfter } = prepared.scenario
  const { calls } = await referenceRun(prepared, { concurrency: 1 })
  const call = calls.findIndex((text) => text === endedAfter) + 1
  if (call === 0) throw new Error(`No call is ${endedAfter}: ${calls.join(', ')}`)
  return call
}

/** A run without a kill, in this process. `outer`: around each call. */
export async function referenceRun(
  prepared: Prepared,
  { concurrency }: Pace,
  outer: Around = (_, make) => make(),
): Promise<Reference> {
  const { scenario, revisions, on } = prepared
  const data = await copyOf(prepared)
  const calls: string[] = []
  const around = both(outer, both(endAt(null, calls), refuse(scenario)))
  try {
    await using world = openWorld({ data, scenario, concurrency, around, on })
    await world.agent.start()
    const settled = await untilSettled(world, revisions)
    return { calls, before: prepared.before, picture: await takePicture(world.store, on), stored: settled }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** The problems where an agent takes over what one process leaves at each point; all points are of one run. */
export async function tryCopies(
  prepared: Prepared,
  reference: Reference,
  pace: Pace,
  points: readonly Point[],
): Promise<ReadonlyMap<Point, readonly string[]>> {
  const copies = await copiesAt(prepared, pace, points)
  const problems = new Map<Point, readonly string[]>()
  for (const point of points) {
    const data = copies.get(point)
    problems.set(
      point,
      data === undefined
        ? ['the point was not reached']
        : await takeOver({ data, pace }, prepared, reference).catch((error: unknown) => [errorText(error)]),
    )
    if (data !== undefined) rmSync(data, { recursive: true, force: true })
  }
  return problems
}

/** The problems where a process was killed after a run had stored its plan, while it read the packages. */
export async function tryReading(prepared: Prepared, reference: Reference, pace: Pace): Promise<readonly string[]> {
  const point: Point = { call: reference.calls.indexOf('plan') + 1, when: 'after' }
  const data = (await copiesAt(prepared, pace, [point])).get(point)!
  leaveReading(data, Object.keys(prepared.revisions))
  return takeOver({ data, pace }, prepared, reference)
}

/** What a process leaves that is killed at a point. The copy is made at once: nothing is written meanwhile. */
async function copiesAt(prepared: Prepared, pace: Pace, points: readonly Point[]): Promise<ReadonlyMap<Point, string>> {
  const { scenario, revisions, on, root } = prepared
  const data = await copyOf(prepared)
  const copies = new Map<Point, string>()
  const copy = (point: Point): void => {
    const to = mkdtempSync(join(root, 'left-'))
    cpSync(data, to, { recursive: true, filter: (file) => basename(file) !== 'lock.db' })
    copies.set(point, to)
  }
  try {
    await using world = openWorld({ ...pace, data, scenario, on, around: both(stopAt(points, copy), refuse(scenario)) })
    await world.agent.start()
    await untilSettled(world, revisions)
    return copies
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Starts the agent on the data directory of the killed process. */
async function takeOver(
  { data, pace }: { readonly data: string; readonly pace: Pace },
  prepared: Prepared,
  reference: Reference,
): Promise<readonly string[]> {
  const { scenario, on } = prepared
  await using world = openWorld({ ...pace, data, scenario, on, around: refuse(scenario) })
  const names = Object.keys(prepared.revisions)
  const left = await Promise.all(names.map((name) => stored(world, name)))
  await world.agent.start()
  const settled = await untilSettled(world, prepared.revisions)
  const picture = await takePicture(world.store, on)
  return [
    ...differences(reference.picture, picture),
    ...changedIds({ before: reference.before, after: reference.picture }, { before: prepared.before, after: picture }),
    ...names.flatMap((_, at) => storyOf(left[at]!, settled[at]!, prepared.scenario)),
    ...names.flatMap((_, at) => endOf(reference.stored[at]!, settled[at]!)),
  ]
}

/**
 * A run killed while applying is interrupted, and another one recovers; one killed while undoing continues itself; one
 * that had not begun begins.
 */
function storyOf(left: StoredState, settled: StoredState, { outcome }: Scenario): readonly string[] {
  const killed = left.runs.at(-1)!
  const after = settled.runs
    .filter((run) => Number(run.id) > Number(killed.id))
    .map((run) => `${run.cause.kind} ${run.outcome}`)
  const ended = [settled.runs.find((run) => run.id === killed.id)?.outcome, ...after].join(', ')
  const hasBegun = killed.phase !== 'queued'
  const expected = expectedStory(
    killed.outcome,
    { undoing: killed.phase === 'undoing', open: hasBegun && left.open > 0 },
    outcome,
  )
  return ended === expected ? [] : [`the runs ended: ${ended}; expected: ${expected}`]
}

function expectedStory(
  ended: string | null,
  { undoing, open }: { readonly undoing: boolean; readonly open: boolean },
  outcome: string,
): string {
  if (ended === null && open && !undoing) return `interrupted, recovery ${outcome}`
  if (ended === 'interrupted') return `interrupted, recovery ${outcome}`
  return ended ?? outcome
}

/**
 * The stack ends as after an uninterrupted run. (After a restart the target itself refuses what
 * would have been skipped.)
 */
function endOf(expected: StoredState, settled: StoredState): readonly string[] {
  const facts = ({ stack, runs }: StoredState): string =>
    JSON.stringify({
      applied: stack.applied?.revision,
      consent: stack.consent,
      failure: [stack.failure?.reason, stack.failure?.code, stack.failure?.retry],
      problems: [...new Set(runs.at(-1)?.problems.map(({ code }) => code.replace('skipped', 'failed')))].toSorted(),
    })
  return facts(expected) === facts(settled) ? [] : [`the stack says ${facts(settled)} in place of ${facts(expected)}`]
}

/** Before and after every call. */
export function allPoints({ calls }: Reference): readonly Point[] {
  return calls.flatMap((_, i): Point[] => [
    { call: i + 1, when: 'before' },
    { call: i + 1, when: 'after' },
  ])
}

export async function copyOf({ root, data }: Prepared): Promise<string> {
  const copy = mkdtempSync(join(root, 'data-'))
  await cp(data, copy, { recursive: true })
  return copy
}

export interface PrepareOptions {
  readonly onFailure?: 'undo' | 'continue'
  /** Default: the plain one. */
  readonly on?: PlatformUnderTest
}

interface MatrixOptions extends PrepareOptions {
  readonly endedAt?: number
}

/** The state before: the first package is applied, the second one is pushed. */
export async function prepare(
  name: ScenarioName,
  { onFailure = 'undo', on = plain }: PrepareOptions = {},
): Promise<Prepared> {
  const scenario: Scenario = scenarios[name]
  const root = mkdtempSync(join(tmpdir(), 'gitmoor-crash-'))
  const data = join(root, 'base')
  await using world = openWorld({ data, around: (_, make) => make(), on })
  const packages = scenario.beside === undefined ? [scenario] : [scenario, scenario.beside]
  const pushed = async (when: 'before' | 'after'): Promise<Revisions> => {
    const revisions: Record<string, string> = {}
    for (const [at, { [when]: documents }] of packages.entries())
      if (documents !== undefined)
        revisions[stackNames[at]!] = await push(world, stackNames[at]!, packageText(documents, on.apiVersion))
    return revisions
  }
  for (const at of packages.keys()) await declareStack(world, stackNames[at]!, onFailure)
  const first = await pushed('before')
  if (scenario.before !== undefined) await applyFirst(world, first)
  const revisions = await pushed('after')
  const before = await takePicture(world.store, on)
  const dispose = (): void => rmSync(root, { recursive: true, force: true })
  return { name, scenario, on, root, data, revisions, before, [Symbol.dispose]: dispose }
}

async function applyFirst(world: World, revisions: Revisions): Promise<void> {
  await world.agent.start()
  for (const { stack } of await untilSettled(world, revisions))
    if (stack.applied === null) throw new Error(`The first package was not applied: ${JSON.stringify(stack.failure)}`)
}
