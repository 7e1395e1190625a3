// `npm run test:without-influxdb [-- --imports | FILE…]`: deletes InfluxDB from a copy of the tree, and shows that the
// rest is whole: it compiles, and the tests pass, but for those that test/needs-influxdb.json names with their reason.
// `--imports`: only checks that no other file imports it, and the list. `npm test` does this much.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const room = 'influxdb'
const root = resolve(import.meta.dirname, '..')
const words = process.argv.slice(2)
const onlyImports = words.includes('--imports')
const copy = mkdtempSync(join(tmpdir(), 'gitmoor-without-'))
try {
  copyTree()
  deleteRoom()
  const listed = Object.keys(JSON.parse(readFileSync(join(copy, 'test/needs-influxdb.json'), 'utf8')))
  const isListed = (file) => listed.some((one) => file === one || file.startsWith(`${one}/`))
  const needing = filesThatNeed('test')
  checkList(
    listed,
    needing.filter((file) => isTest(file) && !isListed(file)),
  )
  const importing = filesThatNeed('src')
  if (importing.length > 0) fail(`These files import ${room}, which only its own files may:`, importing)
  if (!onlyImports) {
    run('tsc', '-p', 'tsconfig.build.json', '--noEmit', '--checkers', '1')
    const left = filesIn('test').filter((file) => isTest(file) && isListed(file))
    for (const file of [...needing, ...left]) rmSync(join(copy, file), { force: true })
    run('tsc', '-p', 'tsconfig.json', '--checkers', '1')
    run('vitest', 'run', '--reporter=dot', ...words)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function copyTree() {
  const left = ['node_modules', 'dist', 'coverage', 'demo', '.git', '.reports']
  for (const name of onlyImports ? ['src', 'test'] : readdirSync(root))
    if (!left.includes(name) && !name.startsWith('.dist-'))
      cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
}

/** Its folders, and what adapters.ts and platforms.ts import of it. */
function deleteRoom() {
  for (const folder of ['src', 'test']) rmSync(join(copy, folder, room), { recursive: true })
  for (const file of ['src/adapters.ts', 'src/platforms.ts']) {
    const text = readFileSync(join(copy, file), 'utf8')
    const imported = new RegExp(`^import \\{ (\\w+) \\} from '\\./${room}/.*\\n`, 'm')
    const name = imported.exec(text)?.[1]
    if (name === undefined) fail(`${file} imports nothing of ${room}.`)
    writeFileSync(join(copy, file), text.replace(imported, '').replace(new RegExp(`\\[(?:\\.{3})?${name}\\]`), '[]'))
  }
}

/** Files with an import that no longer exists, their own or of a file that they import. */
function filesThatNeed(folder) {
  const imports = new Map(filesIn(folder).map((file) => [file, importsOf(file)]))
  const broken = new Set()
  for (let before = -1; before !== broken.size;) {
    before = broken.size
    for (const [file, named] of imports)
      if (named.some((one) => broken.has(one) || !existsSync(join(copy, one)))) broken.add(file)
  }
  return [...broken]
}

function filesIn(folder) {
  return readdirSync(join(copy, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file))
}

function importsOf(file) {
  const text = readFileSync(join(copy, file), 'utf8')
  return [...text.matchAll(/^(?:import|export)\b[^'"=(]*\bfrom '(\.[^']+)'/gm)].map(([, named]) =>
    join(dirname(file), named).replace(/\.js$/, '.ts'),
  )
}

function isTest(file) {
  return file.endsWith('.test.ts')
}

/** Every test that imports the room is listed; every file and folder that is listed exists. */
function checkList(listed, unlisted) {
  const gone = listed.filter((one) => !existsSync(join(copy, one)))
  if (unlisted.length > 0)
    fail(`These tests import ${room}. Use test/plain, or list them in test/needs-influxdb.json:`, unlisted)
  if (gone.length > 0) fail('test/needs-influxdb.json lists tests that do not exist:', gone)
}

function run(program, ...args) {
  const { status } = spawnSync(join(root, 'node_modules/.bin', program), args, { cwd: copy, stdio: 'inherit' })
  if (status !== 0) fail(`Without ${room}, ${program} ${args.join(' ')} fails.`)
}

function fail(message, files = []) {
  throw new Error([message, ...files].join('\n  '))
}
