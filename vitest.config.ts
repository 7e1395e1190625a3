import { availableParallelism, tmpdir } from 'node:os'
import { defineConfig } from 'vitest/config'
import { memoryDirectory } from './test/memory-directory.js'
import { SlowFirst } from './test/sequencer.js'

/**
 * Tests that need the build, or start the program or other processes of their own and kill them or change what the
 * process is.
 */
const processes = ['test/**/*.process.test.ts']

/** Tests of the page in Chromium. `npm run page:check` runs those of its views, which take two minutes. */
const page = ['test/page/**/*.test.ts']
const views = process.env['GITMOOR_PAGE_CHECK'] === '1' ? [] : ['test/page/views/**']

const all = ['test/**/*.test.ts']

const build = 'test/build-once.ts'

/** Fewer garbage collections; and the loader for threads that the code under test begins. */
const execArgv = [
  '--max-semi-space-size=64',
  '--import',
  new URL('./test/typescript-threads.mjs', import.meta.url).href,
]

export default defineConfig({
  test: {
    env: { TMPDIR: process.env['TMPDIR'] ?? memoryDirectory() ?? tmpdir() },
    testTimeout: 120_000, // ends what hangs, on any machine
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    pool: 'forks',
    execArgv,
    isolate: false, // no module keeps state that a test could see
    maxWorkers: availableParallelism() + 1, // tests also wait: for other processes, for disks
    sequence: { sequencer: SlowFirst },
    experimental: { fsModuleCache: true }, // compiled once for all projects and runs
    projects: [
      { extends: true, test: { name: 'world', include: all, exclude: [...processes, ...page] } },
      { extends: true, test: { name: 'process', include: processes, globalSetup: build } },
      {
        extends: true,
        test: { name: 'page', include: page, exclude: views, globalSetup: [build, 'test/page/shared-chromium.ts'] },
      },
    ],
  },
})
