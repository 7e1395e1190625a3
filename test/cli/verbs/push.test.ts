// The inputs of `stack push` beside files.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test } from 'vitest'
import { label } from '../../e2e/packages.js'
import { openTestShell, type TestShell } from '../type-command.js'

let shell: TestShell
beforeEach(async () => {
  shell = await openTestShell()
  await writeFile(join(shell.directory, 'package.yml'), label('red'))
  await writeFile(join(shell.directory, 'token'), 'a=secret\n')
})

const pushed = (): unknown => shell.calls.find(({ verb }) => verb === 'pushPackage')?.args[1]

describe('a push', () => {
  test('sends values, secrets from files, and skips', async () => {
    const line = 'stack push boards -f package.yml --env-ref a=b=c --env-ref empty= --secret-file slack=token --no-wait'
    expect(await shell.type(`${line} --filter kind=Bucket --filter resource=Label:red`)).toMatchObject({ code: 0 })
    expect(pushed()).toEqual({
      files: [{ path: 'package.yml', text: label('red') }],
      values: { a: 'b=c', empty: '' },
      secrets: { slack: 'a=secret' },
      skips: [{ family: 'Bucket' }, { family: 'Label', metaName: 'red' }],
    })
  })

  test('can name a URL', async () => {
    expect(await shell.type('stack push boards -u https://example.test/a.yml --no-wait')).toMatchObject({ code: 0 })
    expect(pushed()).toEqual({ files: [], urls: ['https://example.test/a.yml'] })
  })

  test.each([
    ['stdin.yml', label('red')],
    ['stdin.json', ' [{}]'],
  ])('can read standard input: %s', async (path, text) => {
    const stdin = Readable.from([Buffer.from(text)])
    expect(await shell.type('stack push boards -f - --no-wait', { stdin })).toMatchObject({ code: 0 })
    expect(pushed()).toEqual({ files: [{ path, text }] })
  })

  test.each([
    ['', 'No package given.'],
    ['-f package.yml --env-ref a', '--env-ref takes KEY=VALUE.'],
    ['-f package.yml --env-ref =a', '--env-ref takes KEY=VALUE.'],
    ['-f package.yml --env-ref a=1 --env-ref a=2', '--env-ref sets a twice.'],
    ['-f package.yml --secret-file a', '--secret-file takes KEY=PATH.'],
    ['-f package.yml --secret-file a=nowhere', 'Cannot read nowhere: no such file or directory.'],
    ['-f package.yml --secret-file a=.', 'Cannot read .: it is a directory.'],
    ['-f package.yml --filter Bucket', '--filter takes kind=KIND or resource=KIND:NAME.'],
    ['-f package.yml --filter resource=Bucket', '--filter takes kind=KIND or resource=KIND:NAME.'],
  ])('is refused with %s', async (options, words) => {
    const { code, stderr } = await shell.type(`stack push boards ${options}`)
    expect(code).toBe(3)
    expect(stderr).toContain(words)
    expect(pushed()).toBeUndefined()
  })
})
