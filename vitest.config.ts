import { availableParallelism, tmpdir } from 'node:os'
import { defineConfig } from 'vitest/config'
import { memoryDirectory } from './test/memory-directory.js'
import { SlowFirst } from './test/sequencer.js'

/** Tests of the built program, of other processes that they start and kill, and of the page in Chromium. */
const program = ['test/**/*.process.test.ts', 'test/page/**/*.test.ts']

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
      { extends: true, test: { name: 'world', include: ['test/**/*.test.ts'], exclude: program } },
      {
        extends: true,
        test: {
          name: 'program',
          include: program,
          globalSetup: ['test/build-once.ts', 'test/page/shared-chromium.ts'],
        },
      },
    ],
  },
})
