// The build, and the package that `npm pack` makes of it. What happens while it is made is in start.process.test.ts.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evaluatorPackage } from '../../src/sandbox/jsonnet/find-evaluator.js'
import { Processes } from '../e2e/processes.js'
import { hasJsonnet } from '../sandbox/with-jsonnet.js'

test('a command of the command line opens few files of the program', () => {
  const hook =
    "import { writeSync } from 'node:fs'; export function load(url, context, next) " +
    "{ writeSync(2, url + '\\n'); return next(url, context) }"
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))})`
  const words = ['--import', dataUrl(register), 'dist/main.js', 'stack', 'list', '--data', '/nowhere']
  const { stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  const opened = stderr.split('\n').filter((line) => /^file:.*\/dist\//.test(line))
  expect(opened.some((url) => url.endsWith('/main.js'))).toBe(true)
  expect(opened.length, opened.join('\n')).toBeLessThanOrEqual(15)
  expect(stderr).toContain('No agent uses the data directory /nowhere')
})

function dataUrl(script: string): string {
  return `data:text/javascript,${encodeURIComponent(script)}`
}

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

describe('the package of npm pack', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-packed-'))
  /** As `npm install --global --prefix` lays it out, with the dependencies that it declares and no others. */
  const home = join(directory, 'lib', 'node_modules', 'gitmoor')
  const gitmoor = join(directory, 'bin', 'gitmoor')
  let packed: Packed

  beforeAll(() => {
    execFileSync(process.execPath, ['scripts/write-completions.mjs'])
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory]
    packed = (JSON.parse(execFileSync('npm', pack, { encoding: 'utf8' })) as readonly [Packed])[0]
    mkdirSync(home, { recursive: true })
    execFileSync('tar', ['-xzf', join(directory, packed.filename), '-C', home, '--strip-components=1'])
    const { bin, dependencies } = declared()
    for (const name of Object.keys(dependencies)) link(resolve('node_modules', name), join(home, 'node_modules', name))
    link(join(home, bin.gitmoor), gitmoor)
  }, 180_000)
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  interface Declared {
    readonly bin: { readonly gitmoor: string }
    readonly dependencies: Readonly<Record<string, string>>
    readonly private?: boolean
  }
  const declared = (): Declared => JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Declared

  function link(to: string, from: string): void {
    mkdirSync(dirname(from), { recursive: true })
    symlinkSync(to, from)
  }

  test('contains the program, its licenses, the service file, the example configuration and completions', () => {
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'NOTICE',
        'README.md',
        'completions/_gitmoor',
        'completions/gitmoor.bash',
        'completions/gitmoor.fish',
        'config/gitmoor.service',
        'config/gitmoor.yaml',
        'dist/licenses.txt',
        'dist/main.js',
        'docs/operations/install.md',
        'package.json',
      ]),
    )
    expect(paths.filter((path) => /^(src|test|scripts|fixtures|bench)\/|\.map$|\.ts$/.test(path))).toEqual([])
    expect(declared().private).toBeUndefined()
  })

  test('is smaller than 2 MiB', () => {
    expect(packed.size).toBeLessThan(2 * 1024 * 1024)
  })

  test('starts by its name', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string }
    expect(readFileSync(gitmoor, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(execFileSync(process.execPath, [gitmoor, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`)
    expect(execFileSync(process.execPath, [gitmoor, 'completion', 'fish'], { encoding: 'utf8' })).toBe(
      readFileSync(join(home, 'completions', 'gitmoor.fish'), 'utf8'),
    )
  }, 180_000)

  test('syncs a package with the dependencies that it declares', async () => {
    await using processes = new Processes(gitmoor)
    const source = join(directory, 'source')
    mkdirSync(source)
    writeFileSync(
      join(source, 'bucket.yml'),
      'apiVersion: influxdata.com/v2alpha1\nkind: Bucket\nmetadata: { name: raw }\n',
    )
    const file = join(directory, 'gitmoor.yaml')
    writeFileSync(file, `allow: { directories: [${source}] }\n`)
    const data = join(directory, 'data')
    await processes.agent(['--config', file], { cwd: directory, data })
    const words = ['stack', 'create', 'boards', '--dir', source, '--data', data]
    expect(await processes.start(words, { cwd: directory }).ended).toMatchObject({ code: 0 })
  }, 180_000)

  test('evaluates Jsonnet once its evaluator is installed by the command that the error names', async () => {
    await using processes = new Processes(gitmoor)
    writeFileSync(join(directory, 'boards.jsonnet'), '[]')
    const validate = () => processes.start(['validate', 'boards.jsonnet'], { cwd: directory }).ended
    const { name, version } = evaluatorPackage
    const command = `npm install --global --prefix ${directory} ${name}@${version}`
    expect((await validate()).stderr).toContain(command)
    if (!hasJsonnet) return
    link(resolve('node_modules', name), join(directory, 'lib', 'node_modules', name))
    expect((await validate()).stderr).not.toContain(command)
  }, 180_000)
})

describe('the licenses of the bundled packages', () => {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-licenses-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test('are in the build with their texts, and are permissive', () => {
    const texts = readFileSync('dist/licenses.txt', 'utf8').split(/\n-{80}\n\n/)
    const named = texts.map((text) => /^(\S+) \S+ \((.*)\)\n\n\S/.exec(text)?.slice(1, 3) ?? [text, 'no text'])
    expect(named.map(([name]) => name)).toEqual(expect.arrayContaining(['hono', 'pino', 'yaml', 'zod']))
    expect(
      named.filter(([, license]) => !/^(MIT|MIT-0|ISC|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0)$/.test(license!)),
    ).toEqual([])
  })

  test('end the build for a package with another license', () => {
    const folder = join(directory, 'node_modules', 'odd')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "name": "odd", "version": "1.0.0", "license": "GPL-3.0" }')
    const script = `import { bundledLicenses } from './scripts/bundled-licenses.mjs'
      bundledLicenses([${JSON.stringify(join(folder, 'index.js'))}])`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('its license is GPL-3.0')])
  })
})
