import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Compiles the child into a directory of its own (inside node_modules, where its imports are found) and gives the entry. */
export async function buildChild(): Promise<Disposable & { readonly entry: string }> {
  mkdirSync('node_modules/.cache', { recursive: true })
  const directory = mkdtempSync(join(process.cwd(), 'node_modules/.cache/gitmoor-crash-'))
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc')
  const args = [tsc, '-p', 'test/crash/tsconfig.json', '--noCheck', '--outDir', directory]
  await new Promise((resolve) => execFile(process.execPath, args, resolve))
  const entry = join(directory, 'test/crash/child.js')
  if (!existsSync(entry)) throw new Error('The child was not compiled: try `npx tsc -p test/crash/tsconfig.json`.')
  return { entry, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}
