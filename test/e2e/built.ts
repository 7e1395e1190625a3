import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The program as it is shipped: `dist/`, or where that is older than `src/`, a build of its own. */
export interface Built extends Disposable {
  readonly main: string
}

/** Takes a second or two where it must build; inside node_modules, where what is not in it is found. */
export function build(): Built {
  const main = join(process.cwd(), 'dist/main.js')
  if (existsSync(main) && statSync(main).mtimeMs >= newest('src')) return { main, [Symbol.dispose]: () => {} }
  mkdirSync('node_modules/.cache', { recursive: true })
  const directory = mkdtempSync(join(process.cwd(), 'node_modules/.cache/gitmoor-e2e-'))
  execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', join(directory, 'dist')])
  copyFileSync('package.json', join(directory, 'package.json'))
  return { main: join(directory, 'dist/main.js'), [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

function newest(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs))
}
