import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The rooms whose mutants are tried, and the folders of tests that they must pass: quick ones, without another process.
 */
export const testFolders = {
  plan: ['plan', 'engine'],
  engine: ['engine'],
  graph: ['graph', 'plan', 'engine'],
} as const satisfies Record<string, readonly string[]>

export type RoomName = keyof typeof testFolders

/** The source files of a room. */
export function sourcesOf(room: RoomName): readonly string[] {
  const folder = join('src', room)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(folder, name))
}

/** Run last, in this order: most mutants fail a quick test before them. */
const slowTests = [
  'engine/run-journal',
  'engine/journal',
  'engine/observe',
  'engine/undo',
  'engine/partial',
  'plan/order',
].map((name) => join('test', `${name}.test.ts`))

export function testsOf(room: RoomName): readonly string[] {
  const tests = testFolders[room].flatMap((folder) =>
    readdirSync(join('test', folder))
      .filter((name) => name.endsWith('.test.ts'))
      .sort()
      .map((name) => join('test', folder, name)),
  )
  return tests.toSorted((a, b) => slowTests.indexOf(a) - slowTests.indexOf(b)) // -1: the quick ones
}
