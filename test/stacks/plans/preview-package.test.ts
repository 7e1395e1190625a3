// The plan of files that a client sends: `gitmoor plan NAME --dir DIR`.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { InvalidPackage } from '../../../src/model/errors.js'
import { sampleStack } from '../../api/sample-views.js'
import { openTestShell, type Typed } from '../../cli/type-command.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const file = (text: string, path = 'package.yml') => ({ path, text })

describe('a plan of sent files', () => {
  test('shows what they would change, and writes and stores nothing', async () => {
    await world().push(yaml(label('red'), label('old')))
    await world().create('boards')
    const before = await world().ask.getStack('boards')
    world().platform.reset()
    const plan = await world().ask.previewPackage('boards', [file(yaml(label('red'), bucket('raw')))], never)
    expect(plan.counts).toEqual({ create: 1, update: 0, remove: 1, unchanged: 1 })
    expect(plan.revision).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(world().platform.writes).toEqual([])
    expect(await world().ask.getStack('boards')).toEqual(before)
    expect((await world().ask.previewPlan('boards', {}, never)).changes).toEqual([])
  })

  test('has the digest of the content: the same for the same files in another order', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const files = [file(label('red'), 'a.yml'), file(label('blue'), 'b.yml')]
    const plan = await world().ask.previewPackage('boards', files, never)
    const again = await world().ask.previewPackage('boards', files.toReversed(), never)
    const other = await world().ask.previewPackage('boards', [file(label('green'))], never)
    expect(again).toEqual(plan)
    expect(other.revision).not.toBe(plan.revision)
  })

  test('uses the settings and values of the stack', async () => {
    await world().push(label('red'))
    await world().create('boards', { values: { name: 'boards-raw' }, apply: 'approval' })
    const named = bucket('raw').replace('name: raw', 'name: {envRef: {key: name}}')
    const plan = await world().ask.previewPackage('boards', [file(named)], never)
    expect(plan.changes.find(({ action }) => action === 'create')?.address).toBe('Bucket/boards-raw')
    expect(plan.needsApproval).toMatchObject([{ rule: 'approval' }])
  })

  test('leaves out what .gitmoorignore excludes, and reports problems with full paths', async () => {
    await world().repository.commit({ files: { 'boards/package.yml': label('red') } })
    await world().create('boards', { path: 'boards' })
    const ignored = [file('drafts/\n', '.gitmoorignore'), file('kind: [', 'drafts/x.yml')]
    const plan = await world().ask.previewPackage('boards', [...ignored, file(label('red'))], never)
    expect(plan.changes).toEqual([])
    const broken = world().ask.previewPackage('boards', [file(label('red')), file('kind: Label\n', 'b.yml')], never)
    await expect(broken).rejects.toThrow(InvalidPackage)
    const error = (await broken.catch((one: unknown) => one)) as InvalidPackage
    expect(error.problems[0]?.place?.file).toBe('boards/b.yml')
  })

  test('replaces the only git source of several sources', async () => {
    await world().push(label('red'))
    const [git] = world().spec('boards').sources
    await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }, git!] }), 'ann')
    const { id } = await world().ask.pushPackage('boards', { files: [file(label('inline'))] }, 'ann', never)
    expect(await world().ended('boards', id)).toMatchObject({ outcome: 'applied' })
    const plan = await world().ask.previewPackage('boards', [file(label('blue'))], never)
    expect(plan.changes.map(({ action, address }) => `${action} ${address}`).sort()).toEqual([
      'create Label/blue',
      'remove Label/red',
    ])
  })

  test('is refused for several git sources, paths outside of the package, and no package file', async () => {
    await world().push(label('red'))
    const [git] = world().spec('boards').sources
    await world().create('boards')
    await world().ask.createStack(world().spec('two', { sources: [git!, { ...git!, path: 'x' } as never] }), 'ann')
    expect(await refusal(world().ask.previewPackage('two', [file(label('red'))], never))).toMatchObject({
      status: 'usage',
      code: 'stacks/which-source',
    })
    const outside = world().ask.previewPackage('boards', [file(label('red'), '../package.yml')], never)
    await expect(outside).rejects.toThrow(InvalidPackage)
    const none = world().ask.previewPackage('boards', [file('x', 'lib.libsonnet')], never)
    await expect(none).rejects.toMatchObject({ code: 'source/no-package-files' })
  })
})

describe('gitmoor plan --dir', () => {
  async function planned(directory: string, options = ''): Promise<Typed> {
    const shell = await openTestShell({ getStack: world().ask.getStack, previewPackage: world().ask.previewPackage })
    await mkdir(join(shell.directory, 'clone', 'boards', 'drafts'), { recursive: true })
    await writeFile(join(shell.directory, 'clone', 'boards', 'package.yml'), yaml(label('red'), label('new')))
    await writeFile(join(shell.directory, 'clone', 'boards', 'drafts', 'x.yml'), 'kind: [')
    await writeFile(join(shell.directory, 'clone', 'boards', '.gitmoorignore'), 'drafts/\n')
    await writeFile(join(shell.directory, 'clone', 'other.yml'), label('other'))
    return shell.type(`plan boards --dir ${directory} ${options}`)
  }

  async function follow(): Promise<void> {
    await world().repository.commit({ files: { 'boards/package.yml': label('red') } })
    await world().create('boards', { path: 'boards' })
  }

  test('plans the files below the path of the stack', async () => {
    await follow()
    const typed = await planned('clone', '--detailed-exitcode')
    expect(typed).toMatchObject({ code: 2, stderr: '' })
    expect(typed.stdout).toContain('Label/new')
    expect(typed.stdout).not.toContain('Label/other')
  })

  test('says by which rules the plan will need approval, and not to approve it now', async () => {
    const more = ['one', 'two', 'three'].map((name) => label(name))
    await world().repository.commit({ files: { 'boards/package.yml': yaml(label('red'), bucket('raw'), ...more) } })
    await world().create('boards', { path: 'boards' })
    const { stdout } = await planned('clone')
    expect(stdout).toContain(
      'This plan will need approval: deletions, data-loss.\n  ! deletions: 4 of the 5 resources this stack owns',
    )
    expect(stdout).toContain('\n  ! data-loss: Removing Bucket/raw deletes its data.\n')
    expect(stdout).not.toContain('gitmoor approve')
    const markdown = (await planned('clone', '-o markdown')).stdout
    expect(markdown).toContain('| needed: <code>deletions</code>, <code>data-loss</code> |')
    expect(markdown).toContain('\nThis plan will need approval: deletions, data-loss.\n')
  })

  test('says which directory is missing, or has no package', async () => {
    await follow()
    expect(await planned('nowhere')).toMatchObject({ code: 3, stderr: expect.stringContaining('nowhere') as string })
    const typed = await planned('clone/boards')
    expect(typed.code).toBe(3)
    expect(typed.stderr).toBe(
      'error: clone/boards does not contain boards, which boards reads.\n' +
        '  next: Pass the root: gitmoor plan boards --dir clone\n',
    )
    expect((await planned('clone/boards/drafts')).stderr).toContain("next: Pass the root of the package's repository.")
  })

  test('names the clone, if the directory contains it', async () => {
    const shell = await openTestShell()
    await mkdir(join(shell.directory, 'clone', 'dashboards'), { recursive: true })
    expect((await shell.type('plan boards --dir .')).stderr).toBe(
      'error: . does not contain dashboards, which boards reads.\n' +
        '  next: Pass the root: gitmoor plan boards --dir clone\n',
    )
  })

  test('names the root, if the directory is the path of the stack', async () => {
    const { sources } = sampleStack.spec
    const shell = await openTestShell()
    await mkdir(join(shell.directory, 'clone', 'dashboards'), { recursive: true })
    expect(sources[0]).toMatchObject({ path: 'dashboards' })
    const { code, stderr } = await shell.type('plan boards --dir clone/dashboards')
    expect(code).toBe(3)
    expect(stderr).toBe(
      'error: clone/dashboards does not contain dashboards, which boards reads.\n' +
        '  next: Pass the root: gitmoor plan boards --dir clone\n',
    )
  })

  test('sends no file outside of the directory, whatever path the agent answers', async () => {
    const source = { kind: 'git', url: 'https://git.example/boards', ref: 'stable', path: '../secret' } as const
    const spec = { ...sampleStack.spec, sources: [source] }
    const shell = await openTestShell({ getStack: async () => ({ ...sampleStack, spec }) })
    await mkdir(join(shell.directory, 'clone'))
    await mkdir(join(shell.directory, 'secret'))
    await writeFile(join(shell.directory, 'secret', 'token.yml'), label('red'))
    const typed = await shell.type('plan boards --dir clone')
    expect(typed.code).toBe(1)
    expect(typed.stderr).toContain('../secret, is outside of clone. Nothing was sent.')
    expect(shell.calls.map(({ verb }) => verb)).toEqual(['getStack'])
  })

  test('cannot be saved or combined with another ref', async () => {
    await follow()
    expect((await planned('clone', '--out p')).stderr).toContain("cannot be used with option '--out'")
    expect((await planned('clone', '--ref beta')).stderr).toContain("cannot be used with option '--ref'")
  })
})
