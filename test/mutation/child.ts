// A process that runs bundles of tests, one after the other, and reports the first failure of each.
import { pathToFileURL } from 'node:url'
import { startTests, type Task, type VitestRunner } from '@vitest/runner'

process.on('message', (files: string[]) => void runTests(files).then((failed) => process.send!(failed)))

/** The first test that failed, and why; null where none did. */
async function runTests(files: string[]): Promise<string | null> {
  let failed: string | null = null
  const runner: VitestRunner = {
    config,
    importFile: (path) => import(pathToFileURL(path).href),
    onBeforeRunTask: (task) => void (failed === null || (task.mode = 'skip')),
    onAfterRunTask: (task) => void (failed ??= failureOf(task)),
    onAfterRunSuite: (suite) => void (failed ??= failureOf(suite)),
  }
  const ended = await startTests(files, runner)
  return failed ?? ended.map(failureOf).find((one) => one !== null) ?? null
}

function failureOf({ name, result }: Task): string | null {
  return result?.state === 'fail' ? `${name}: ${result.errors?.[0]?.message ?? 'no error'}` : null
}

const config: VitestRunner['config'] = {
  root: process.cwd(),
  name: undefined,
  setupFiles: [],
  testNamePattern: undefined,
  allowOnly: false,
  chaiConfig: undefined,
  passWithNoTests: false,
  sequence: { seed: 1, hooks: 'stack', setupFiles: 'list' },
  maxConcurrency: 1,
  testTimeout: 10_000,
  hookTimeout: 10_000,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
  tagsFilter: undefined,
  strictTags: false,
}
