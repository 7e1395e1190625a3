// The project as `git clone` and `npm ci` leave it: sources and packages, neither dist nor the demo.
import { cpSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const copied = [
  'config',
  'fixtures/demo',
  'gitmoor',
  'package-lock.json',
  'package.json',
  'scripts',
  'src',
  'tsconfig.build.json',
  'tsconfig.json',
  'web',
]

/** Its directory, which the caller removes. */
export function makeFreshClone(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-clone-')))
  for (const path of copied) cpSync(path, join(root, path), { recursive: true })
  symlinkSync(realpathSync('node_modules'), join(root, 'node_modules'))
  return root
}

/** What `npm start` runs there. */
export function startScript(root: string): string {
  return join(root, 'scripts/start.mjs')
}
