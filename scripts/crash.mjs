// `npm run crash [-- SCENARIO…]`: compiles the crash matrix into a directory of its own and goes through every point.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

mkdirSync('node_modules/.cache', { recursive: true })
const directory = mkdtempSync(join(process.cwd(), 'node_modules/.cache/gitmoor-crash-'))
try {
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  const node = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status
  const at = (name) => join(directory, 'test/crash', name)
  node('node_modules/typescript/bin/tsc', '-p', 'test/crash/tsconfig.json', '--noCheck', '--outDir', directory)
  process.exitCode = node(at('run-all.js'), at('child.js'), ...process.argv.slice(2)) ?? 1
} finally {
  rmSync(directory, { recursive: true, force: true })
}
