// Before the tests that start the program: one build for all of them. It checks no types; `npm run types` does.
import { execFileSync } from 'node:child_process'

export default function buildOnce(): void {
  execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { stdio: 'inherit' })
}
