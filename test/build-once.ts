// Before the tests that start the program: one build for all of them. It checks no types; `npm run types` does.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const script = 'scripts/build.mjs'

export default function buildOnce(): void {
  if (isFresh('dist/main.js')) return
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
}

function isFresh(main: string): boolean {
  return existsSync(main) && statSync(main).mtimeMs >= Math.max(newest('src'), statSync(script).mtimeMs)
}

function newest(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs))
}
