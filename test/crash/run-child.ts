// The agent on a data directory until the stack is settled, or until the point at which its process is ended.
import type { PlatformUnderTest } from '../plain/under-test.js'
import { both } from './watched.js'
import type { mutants } from './mutants.js'
import { endAt, type Point } from './points.js'
import { refuse, scenarios, type Scenario, type ScenarioName } from './scenarios.js'
import { openWorld, untilSettled, type Revisions } from './world.js'

export interface ChildOrder {
  readonly data: string
  readonly revisions: Revisions
  readonly scenario: ScenarioName
  readonly concurrency: number
  readonly point: Point | null
  readonly mutant?: keyof typeof mutants
}

/** Follows the order in the first argument. */
export async function runChild(on: PlatformUnderTest): Promise<void> {
  const order = JSON.parse(process.argv[2]!) as ChildOrder
  const { scenario: name, point, revisions, ...options } = order
  const scenario: Scenario = scenarios[name]
  const seen: string[] = []
  await using world = openWorld({ ...options, on, scenario, around: both(endAt(point, seen), refuse(scenario)) })
  await world.agent.start()
  await untilSettled(world, revisions)
  process.stdout.write(JSON.stringify(seen))
}
