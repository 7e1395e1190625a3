// `stack set -f FILE` and PATCH change what they name. Other settings stay, above all those that protect resources.
import { describe, expect, test } from 'vitest'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTestShell } from '../../cli/type-command.js'
import { label } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()

const safety = {
  apply: 'approval',
  protect: ['Label/red'],
  maxDeletes: 2,
  windows: [{ kind: 'allow', schedule: '@daily', durationMs: 60_000 }],
} as const

/** What `stack set boards -f FILE` asks the agent for. */
async function patchOf(text: string, options = ''): Promise<unknown> {
  const shell = await openTestShell()
  await writeFile(join(shell.directory, 'boards.yaml'), `name: boards\n${text}`)
  const { stderr } = await shell.type(`stack set boards -f boards.yaml${options}`)
  return shell.calls.find(({ verb }) => ['previewUpdate', 'updateStack'].includes(verb))?.args[1] ?? stderr
}

describe('a file of `stack set`', () => {
  test('changes only the settings that it names', async () => {
    expect(await patchOf('displayName: Boards\n')).toEqual({ displayName: 'Boards' })
    expect(await patchOf('displayName: Boards\n', ' --ref beta --drift report')).toEqual({
      displayName: 'Boards',
      drift: 'report',
      source: { ref: 'beta' },
    })
  })

  test('resets what is null, and empties what is empty', async () => {
    expect(await patchOf('maxDeletes: null\ninterval:\nprotect: []\n')).toEqual({
      maxDeletes: null,
      intervalMs: null,
      protect: [],
    })
  })

  test('without a setting is a usage error, and so are unknown keys and no source', async () => {
    expect(await patchOf('')).toContain('No settings given.')
    expect(await patchOf('protekt: []\n')).toContain('Did you mean "protect"?')
    expect(await patchOf('sources: null\n')).toContain('"sources" must be')
  })
})

test('--ignore adds fields of a stack, and is refused without a family', async () => {
  const shell = await openTestShell()
  await shell.type('stack set boards --ignore Dashboard:charts[*].yPos --ignore Bucket:description')
  const fields = [
    { family: 'Dashboard', path: 'charts[*].yPos' },
    { family: 'Bucket', path: 'description' },
  ]
  expect(shell.calls.find(({ verb }) => verb === 'updateStack')?.args[1]).toEqual({ addIgnore: fields })
  await shell.type('stack create boards --repo https://git.example/b --ignore Bucket:description')
  expect(shell.calls.find(({ verb }) => verb === 'createStack')?.args[0]).toMatchObject({ ignore: [fields[1]] })
  expect(await shell.type('stack set boards --ignore description')).toMatchObject({ code: 3, stdout: '' })
})

describe('a change of settings', () => {
  test('keeps those it does not name, and says what changed', async () => {
    await world().push(label('red'))
    await world().create('boards', safety)
    const { stack, changes } = await world().ask.updateStack('boards', { displayName: 'Boards' }, 'ann')
    expect(stack.spec).toMatchObject({ ...safety, displayName: 'Boards' })
    expect(changes).toEqual([{ path: 'displayName', new: 'Boards' }])
  })

  test('adds ignored fields once each, up to the limit', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const field = (at: number): { family: string; path: string } => ({ family: 'Label', path: `properties.p${at}` })
    const add = (...addIgnore: { family: string; path: string }[]): Promise<unknown> =>
      world().ask.updateStack('boards', { addIgnore }, 'ann')
    await add(field(1))
    await add(field(1), field(2))
    expect((await world().ask.getStack('boards')).spec.ignore).toEqual([field(1), field(2)])
    const many = Array.from({ length: 199 }, (_, at) => field(at + 3))
    await expect(add(...many)).rejects.toMatchObject({ code: 'stacks/too-many-ignored' })
  })

  test('resets settings to their defaults, or to nothing, and says so', async () => {
    await world().push(label('red'))
    const more = { labels: { team: 'ops' }, values: { a: '1' }, onFailure: 'continue' } as const
    const before = await world().create('boards', { ...safety, ...more, intervalMs: 5_000 })
    const { stack, changes } = await world().ask.updateStack(
      'boards',
      {
        apply: null,
        protect: null,
        maxDeletes: null,
        windows: null,
        intervalMs: null,
        labels: null,
        values: null,
        onFailure: null,
      },
      'ann',
    )
    expect(before).toBeDefined()
    expect(stack.spec).toMatchObject({
      apply: 'auto',
      protect: [],
      maxDeletes: 10,
      windows: [],
      intervalMs: 60_000,
      labels: {},
    })
    expect(stack.spec).not.toHaveProperty('onFailure')
    expect(stack.spec).not.toHaveProperty('values')
    expect(changes).toEqual([
      { path: 'labels.team', old: 'ops' },
      { path: 'interval', old: '5s', new: '1m' },
      { path: 'windows', old: [{ kind: 'allow', schedule: '@daily', duration: '1m' }], new: [] },
      { path: 'apply', old: 'approval', new: 'auto' },
      { path: 'onFailure', old: 'continue' },
      { path: 'maxDeletes', old: 2, new: 10 },
      { path: 'protect', old: ['Label/red'], new: [] },
      { path: 'values.a', old: '1' },
    ])
  })

  test('of a source and of single entries names each', async () => {
    await world().push(label('red'))
    await world().create('boards', { values: { a: '1', b: '2' } })
    const { changes } = await world().ask.updateStack(
      'boards',
      { source: { path: 'x' }, setValues: { a: '3' }, unset: ['b'] },
      'ann',
    )
    expect(changes).toEqual([
      { path: 'sources[0].path', old: '', new: 'x' },
      { path: 'values.a', old: '1', new: '3' },
      { path: 'values.b', old: '2' },
    ])
    expect((await world().ask.updateStack('boards', { setValues: { a: '3' } }, 'ann')).changes).toEqual([])
  })
})
