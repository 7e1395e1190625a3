import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Short files that take long, the longest first: one that began last would run alone at the end. */
const slow = [
  'test/bench/bench.process.test.ts',
  'test/crash/crash.process.test.ts',
  'test/influxdb/crash/crash.process.test.ts',
  'test/crash/faults.process.test.ts',
  'test/random/random.test.ts',
  'test/without-influxdb.test.ts',
  'test/influxdb/random/random.test.ts',
  'test/e2e/under-load.test.ts',
  'test/attack/corruptions.test.ts',
]

/** Large files first, as vitest does without former durations, but slow ones before them. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted(
      (a, b) => Number(a.project.name > b.project.name) - Number(a.project.name < b.project.name) || rank(a) - rank(b),
    )
  }
}

/** Its place among the slow ones. */
function rank({ moduleId, project }: TestSpecification): number {
  const place = slow.indexOf(relative(project.config.root, moduleId))
  return place === -1 ? slow.length : place
}
