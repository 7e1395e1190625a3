import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Makes one file of a child and all it imports; inside node_modules, where what is not in it is found. Gives the path
 * of what starts it.
 */
export async function buildChild(input = 'test/crash/child.ts'): Promise<Disposable & { readonly entry: string }> {
  mkdirSync('node_modules/.cache', { recursive: true })
  const directory = mkdtempSync(join(process.cwd(), 'node_modules/.cache/gitmoor-crash-'))
  const entry = join(directory, 'start.cjs')
  await using bundle = await rolldown({
    input,
    platform: 'node',
    external: ['better-sqlite3'],
    transform: { target: 'node20' },
  })
  await bundle.write({ file: join(directory, 'child.cjs'), format: 'cjs', codeSplitting: false, minify: true })
  writeFileSync(entry, start)
  return { entry, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

/**
 * Runs child.cjs as compiled by the first process that ended by itself, which saves half of the CPU time of a start.
 */
const start = `
const { readFileSync, renameSync, writeFileSync } = require('node:fs')
const { Script } = require('node:vm')
const filename = require.resolve('./child.cjs')
const cache = __dirname + '/child.cache'
const source = '(function (exports, require, module, __filename, __dirname) {' + readFileSync(filename, 'utf8') + '\\n})'
const script = new Script(source, { filename, cachedData: cached() })
script.runInThisContext()(exports, require, module, filename, __dirname)

function cached() {
  try {
    return readFileSync(cache)
  } catch {
    process.once('exit', keep)
  }
}
function keep() {
  const draft = cache + process.pid
  writeFileSync(draft, script.createCachedData())
  renameSync(draft, cache)
}
`
