// `npm run crash [-- SCENARIO…]`: goes through every point of the crash matrix and prints what came of it.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

mkdirSync('node_modules/.cache', { recursive: true })
const directory = mkdtempSync(join(process.cwd(), 'node_modules/.cache/gitmoor-crash-'))
const file = join(directory, 'run-all.mjs')
try {
  const bundle = await rolldown({
    input: 'test/crash/run-all.ts',
    platform: 'node',
    external: ['better-sqlite3', 'rolldown'],
    transform: { target: 'node20' },
  })
  await bundle.write({ file, codeSplitting: false })
  process.exitCode = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
