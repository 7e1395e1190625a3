// Where the cases of a scenario begin: on copies of one prepared directory, or where the target is outside of it, each
// on a target of its own.
import type { PlatformUnderTest } from '../plain/under-test.js'
import type { Matrix, PrepareOptions, Prepared } from './matrix.js'
import type { ScenarioName } from './scenarios.js'

/** To be closed. */
export interface Ground extends AsyncDisposable {
  /** One case of the scenario, before which nothing of it has happened. */
  run<T>(
    name: ScenarioName,
    onFailure: Exclude<PrepareOptions['onFailure'], undefined>,
    work: (prepared: Prepared) => Promise<T>,
  ): Promise<T>
}

/** All cases of a scenario on copies. */
export function copies(matrix: Matrix, on: PlatformUnderTest): Ground {
  const made = new Map<string, Promise<Prepared>>()
  return {
    run: async (name, onFailure, work) => {
      const key = `${onFailure} ${name}`
      if (!made.has(key)) made.set(key, matrix.prepare(name, { on, onFailure }))
      return work(await made.get(key)!)
    },
    [Symbol.asyncDispose]: async () => {
      for (const prepared of made.values()) (await prepared)[Symbol.dispose]()
    },
  }
}
