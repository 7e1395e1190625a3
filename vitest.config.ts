import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: '100%', // much of the time of a test is waiting for other processes
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
