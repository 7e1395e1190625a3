// Packages in Jsonnet, from a commit, a directory or a push to what is on the target.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Problem } from '../../../src/model/problem.js'
import { JsonnetSandbox } from '../../../src/sandbox/jsonnet/jsonnet-sandbox.js'
import { sandboxLimits } from '../../../src/sandbox/sandbox.js'
import { label, yaml } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'
import { describeWithJsonnet } from '../../sandbox/with-jsonnet.js'
import { errorOf } from '../../source/git-world.js'

const world = useWorld()

const library = `{
  label(name):: { apiVersion: 'plain/v1', kind: 'Label', metadata: { name: name }, spec: { color: (import 'colors.json')[name] } },
}
`
const boards = `local l = import 'lib/label.libsonnet';
[l.label(name) for name in ['red', 'blue']]
`
const files = {
  'boards.jsonnet': boards,
  'lib/label.libsonnet': library,
  'lib/colors.json': '{"red": "#ff0000", "blue": "#0000ff"}',
}
/** Everything takes longer than it allows. */
const hasNoTime = (): JsonnetSandbox => new JsonnetSandbox({ ...sandboxLimits, evaluationMs: 1 })

/** `file:line code`. */
const reported = (problems: readonly Problem[]): readonly string[] =>
  problems.map(({ place, code }) => `${place === undefined ? '' : `${place.file}:${place.line} `}${code}`)

describeWithJsonnet('a commit with Jsonnet', () => {
  test('is applied as what it evaluates to, without what it imports', async () => {
    await world().repository.commit({ files: { ...files, 'more.yml': label('green') } })
    const run = await world().create('boards')
    expect([run.outcome, run.problems]).toEqual(['applied', []])
    expect(await world().names()).toEqual(['Label/blue', 'Label/green', 'Label/red'])
    expect((await world().live())['Label/red']!.live).toMatchObject({ color: '#ff0000' })
  })

  test('that changes only what is imported is applied, too', async () => {
    await world().repository.commit({ files })
    await world().create('boards')
    await world().repository.commit({ files: { 'lib/colors.json': '{"red": "#990000", "blue": "#0000ff"}' } })
    expect(await world().sync('boards')).toMatchObject({ outcome: 'applied', changes: { update: 1 } })
  })

  test('is evaluated once: drift checks and roll backs read what was kept', async () => {
    await world().repository.commit({ files })
    const { id } = await world().create('boards')
    await world().repository.commit({
      files: { 'package.yml': yaml(label('red'), label('blue')) },
      removed: Object.keys(files),
    })
    await world().restart({ sandbox: hasNoTime() })
    expect(await world().sync('boards')).toMatchObject({ outcome: 'applied' })
    const back = await world().ask.rollBack('boards', id, 'both are grey', 'ann')
    expect(await world().ended('boards', back.id)).toMatchObject({ outcome: 'applied' })
    await world().ask.deleteResource('Label/red', { stack: 'boards' }, never)
    world().clock.advance(400_000)
    expect(await world().runAfter('boards', back.id)).toMatchObject({ cause: { kind: 'drift' }, outcome: 'applied' })
    expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
    expect((await world().live())['Label/red']!.live).toMatchObject({ color: '#ff0000' })
  })

  test('is evaluated again after an attempt that could not evaluate it', async () => {
    await world().repository.commit({ files: { ...files, 'more.yml': label('green') } })
    await world().restart({ sandbox: hasNoTime() })
    const failed = await world().create('boards')
    expect([failed.outcome, reported(failed.problems)]).toEqual(['failed', ['boards.jsonnet:1 sandbox/time']])
    await world().restart()
    expect(await world().sync('boards')).toMatchObject({ revision: failed.revision, outcome: 'applied' })
    expect(await world().names()).toEqual(['Label/blue', 'Label/green', 'Label/red'])
  })

  test('that is wrong has all its problems, each with the file and line of its author, and changes nothing', async () => {
    await world().repository.commit({ files: { 'x/a.yml': label('red') } })
    await world().create('boards', { path: 'x' })
    const wrong = {
      'x/b.jsonnet': "local l = 1;\n\nerror 'no ' + l",
      'x/c.jsonnet': '[1]',
      'x/d.yml': 'a: [',
      'x/e.jsonnet': '[{ kind: "Label" }]',
    }
    await world().repository.commit({ files: wrong })
    const run = await world().sync('boards')
    expect(run.outcome).toBe('failed')
    expect(reported(run.problems)).toEqual([
      'x/b.jsonnet:3 sandbox/evaluation',
      'x/d.yml:1 package/syntax',
      'x/c.jsonnet:1 package/skipped',
      'x/e.jsonnet:1 kinds/unknown-version',
    ])
    expect(run.problems[0]!.message).toBe('x/b.jsonnet:3: no 1.')
    expect(await world().names()).toEqual(['Label/red'])
  })

  test('that has no end fails the run within the limit, and says which file', async () => {
    await world().restart({ sandbox: new JsonnetSandbox({ ...sandboxLimits, evaluationMs: 700 }) })
    await world().repository.commit({ files: { 'loop.jsonnet': 'local f(n) = f(n + 1) tailstrict; f(0)' } })
    const run = await world().create('boards')
    expect([run.outcome, reported(run.problems)]).toEqual(['failed', ['loop.jsonnet:1 sandbox/time']])
  })

  test('cannot import from another source of the stack', async () => {
    const second = world().server.makeRepository('second')
    await second.commit({ files: { 'secret.libsonnet': '1', 'b.yml': label('red') } })
    await world().repository.commit({ files: { 'a.jsonnet': "import '../sources[1]/secret.libsonnet'" } })
    const { url, server } = world()
    const sources = [url, `${server.url}/second.git`].map(
      (one) => ({ kind: 'git', url: one, ref: 'main', path: '' }) as const,
    )
    const run = await world().create('boards', { sources })
    expect(reported(run.problems)).toEqual(['sources[0]/a.jsonnet:1 sandbox/import'])
  })

  test('does not evaluate what is ignored', async () => {
    await world().repository.commit({ files: { ...files, 'bad.jsonnet': '(', '.gitmoorignore': 'bad*' } })
    expect(await world().create('boards')).toMatchObject({ outcome: 'applied', problems: [] })
  })
})

describeWithJsonnet('a directory with Jsonnet', () => {
  test('is evaluated again when an imported file changes', async () => {
    const directory = join(world().root, 'work')
    mkdirSync(join(directory, 'lib'), { recursive: true })
    for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text)
    const { id } = await world().create('boards', { sources: [{ kind: 'directory', directory }] })
    writeFileSync(join(directory, 'lib/label.libsonnet'), library.replace('spec: {', "spec: { name: 'x-' + name,"))
    await world().sync('boards')
    expect(await world().runAfter('boards', id)).toMatchObject({ outcome: 'applied' })
    expect(await world().names()).toEqual(['Label/x-blue', 'Label/x-red'])
  })
})

describeWithJsonnet('a push with Jsonnet', () => {
  const push = (changed: Readonly<Record<string, string>> = {}) =>
    world().ask.pushPackage(
      'boards',
      { files: Object.entries({ ...files, ...changed }).map(([path, text]) => ({ path, text })) },
      'ann',
      never,
    )

  test('is applied, and one that is wrong is refused with its problems', async () => {
    await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }] }), 'ann')
    expect(await world().ended('boards', (await push()).id)).toMatchObject({ outcome: 'applied' })
    expect(await errorOf(push({ 'boards.jsonnet': "import '/etc/passwd'" }))).toMatchObject({
      name: 'InvalidPackage',
      message: 'boards.jsonnet:1: the import "/etc/passwd" is absolute.',
    })
    expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
  })
})

test('without the evaluator a package with Jsonnet is refused with what to do, and every other one works', async () => {
  await world().restart({ sandbox: new JsonnetSandbox(sandboxLimits, 'gitmoor-has-no-such-package') })
  await world().repository.commit({ files: { 'yaml/a.yml': label('red'), 'jsonnet/a.jsonnet': '[]' } })
  expect(await world().create('plain', { path: 'yaml' })).toMatchObject({ outcome: 'applied' })
  expect(await world().create('boards', { path: 'jsonnet' })).toMatchObject({
    outcome: 'failed',
    problems: [
      {
        code: 'sandbox/no-jsonnet',
        message: 'The package contains Jsonnet, but the evaluator of Jsonnet is not installed.',
        hint: expect.stringContaining('npm run jsonnet') as string,
      },
    ],
  })
})

test('an evaluator that cannot be loaded is like one that is not there', async () => {
  const broken = join(world().root, 'broken.cjs')
  writeFileSync(broken, "throw new Error('no binary')")
  const evaluating = new JsonnetSandbox(sandboxLimits, broken).jsonnet(new Map([['a.jsonnet', '[]']]), never)
  expect(await errorOf(evaluating)).toMatchObject({ name: 'Rejected', code: 'sandbox/no-jsonnet' })
})
