import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeDirectory, typeLine, type Typed } from '../type-command.js'

async function check(text: string | Buffer, line = 'config check my.yaml'): Promise<Typed> {
  const cwd = await makeDirectory()
  await writeFile(join(cwd, 'my.yaml'), text)
  await mkdir(join(cwd, 'demo'))
  return typeLine(line, { cwd })
}

const valid = `listen: 127.0.0.1:4471
allow: { directories: [./demo] }
credentials: { ours: { match: 'https://a.example/', token: 'a-secret-token' } }
targets: { staging: { platform: embedded } }
stacks:
  - name: boards
    sources: [{ url: ./demo }]
    target: staging
  - name: apps
    sources: [{ kind: directory, directory: ./demo/apps }]
    dependsOn: [boards]
`

const invalid = `listne: 127.0.0.1:4471
stacks:
  - name: a
    sources: [{ url: 'https://a.example/a' }]
    dependsOn: [b]
  - name: b
    sources: [{ url: 'https://a.example/a' }]
    dependsOn: [a]
    target: staging
    protect: [Dashbord/*]
webhooks:
  github: { provider: github, secret: '\${env:GITMOOR_TEST_UNSET}' }
`

describe('config check', () => {
  test('counts what a valid file declares', async () => {
    expect(await check(valid)).toEqual({
      code: 0,
      stdout: 'my.yaml: valid configuration file: 2 stacks, 1 target, 1 credential\n',
      stderr: '',
    })
  })

  test('counts the target local if the file declares it', async () => {
    const { stdout } = await check(valid.replace('targets: {', 'targets: { local: { platform: embedded },'))
    expect(stdout).toBe('my.yaml: valid configuration file: 2 stacks, 2 targets, 1 credential\n')
  })

  test('counts fleets, too', async () => {
    const { stdout } = await check(`${valid}fleets:\n  - { name: a, directories: { repo: https://git.example/a } }\n`)
    expect(stdout).toBe('my.yaml: valid configuration file: 2 stacks, 1 fleet, 1 target, 1 credential\n')
  })

  test('counts receivers of notifications', async () => {
    const ops = { webhook: { url: 'https://chat.example/hook' } }
    const { stdout } = await check(`${valid}notifications: ${JSON.stringify({ ops })}\n`)
    expect(stdout).toBe('my.yaml: valid configuration file: 2 stacks, 1 target, 1 credential, 1 receiver\n')
  })

  test('reports all problems of a file at once, each with its line, and exits with 1', async () => {
    const { code, stdout, stderr } = await check(invalid)
    expect([code, stderr]).toEqual([1, ''])
    for (const words of [
      /Unknown key "listne"\. Did you mean "listen"\?\n {2}my\.yaml:1\n/,
      /Stacks would wait for each other: a → b → a\.\n {2}my\.yaml:5: stacks\[0\]\.dependsOn\n {2}next: Remove one/,
      /, which is not declared under "targets".*\n {2}my\.yaml:9\n/,
      /names a family that does not exist\. Did you mean "Dashboard"\?\n {2}my\.yaml:10\n/,
      /The environment variable GITMOOR_TEST_UNSET is not set\.\n {2}my\.yaml:12\n/,
    ])
      expect(stdout).toMatch(words)
    expect(stdout).toContain('my.yaml: configuration file with 5 errors\n')
  })

  test('knows the stacks that a fleet has on the targets of the file', async () => {
    const fleet = 'fleets:\n  - { name: f, targets: { selector: a }, template: { sources: [{ url: https://h/x }] } }\n'
    const stack = (name: string): string =>
      `  - { name: ${name}, sources: [{ url: https://h/y }], dependsOn: [f.lab, f.lib] }\n`
    const targets = 'targets: { lab: { platform: embedded } }\n'
    const { stdout, stderr } = await check(`${targets}${fleet}stacks:\n${stack('a')}`)
    expect(stdout + stderr).not.toContain('names the stack "f.lab"')
    expect(stdout + stderr).toContain('names the stack "f.lib", which the file does not declare. Did you mean "f.lab"?')
  })

  test('warns of a stack in dependsOn that the file does not declare, which the API may have', async () => {
    const typed = await check(valid.replace('[boards]', '[bords]'))
    expect([typed.code, typed.stderr]).toEqual([0, ''])
    expect(typed.stdout).toMatch(
      /^warning: "stacks\[1\]\.dependsOn\[0\]" names the stack "bords", .*declare\. Did you mean "boards"\?\n {2}my\.yaml:11\n {2}next: Correct/,
    )
    expect(typed.stdout).toContain('my.yaml: valid configuration file')
  })

  const others: Readonly<Record<string, readonly [text: string | Buffer, message: string]>> = {
    'a package': [
      'apiVersion: influxdata.com/v2alpha1\nkind: Bucket\nmetadata: { name: raw }\n---\nkind: Label\n',
      'error: This is a package, not a configuration file.\n  my.yaml:1\n  next: Check a package: gitmoor validate PATH',
    ],
    'a package as JSON': [
      '[{"apiVersion": "influxdata.com/v2alpha1", "kind": "Bucket"}]',
      'error: This is a package, not a configuration file.\n  my.yaml:1\n  next: Check a package: gitmoor validate PATH',
    ],
    'a list': ['[1, 2]', 'error: A configuration file is a map of keys, such as `stacks`, not a list.\n  my.yaml:1\n'],
    'a text': ['hello\n', 'error: A configuration file is a map of keys, such as `stacks`, not a text.\n  my.yaml:1\n'],
    'a binary file': [Buffer.from([0xff, 0xfe, 0, 1]), 'my.yaml: it is not UTF-8 text.\n  next: Save it as UTF-8.'],
    'a file with a NUL character': [
      'listen: 127.0.0.1:1\nhosts: ["a\0"]\n',
      'my.yaml: it contains a NUL character in line 2.\n  next: Remove the character, or save the file as UTF-8.',
    ],
  }
  test.each(Object.entries(others))('says of %s what it is, in one problem', async (_, [text, message]) => {
    const { code, stdout, stderr } = await check(text)
    expect(code).not.toBe(0)
    expect(stdout + stderr).toContain(message)
    expect((stdout + stderr).match(/^error: /gm)).toHaveLength(1)
  })

  test('warns that an empty file has only defaults', async () => {
    const { code, stdout } = await check('# listen: 127.0.0.1:4471\n')
    expect([code, stdout]).toEqual([
      0,
      'warning: The file has no settings, so all of them have their defaults.\n  my.yaml:1\n' +
        'my.yaml: valid configuration file\n',
    ])
  })

  test('--json prints the problems', async () => {
    const typed = await check('listne: x\n', 'config check my.yaml --json')
    expect([typed.code, JSON.parse(typed.stdout)]).toEqual([
      1,
      {
        path: 'my.yaml',
        valid: false,
        declares: {},
        problems: [
          expect.objectContaining({ code: 'config/unknown-key', place: expect.objectContaining({ line: 1 }) }),
        ],
      },
    ])
  })

  test('--ignore-missing accepts variables and files that do not exist here', async () => {
    const text = "credentials: { x: { match: 'https://h/', token: '${file:/gone}' } }\n"
    expect(await check(text)).toMatchObject({ code: 1 })
    const typed = await check(text, 'config check my.yaml --ignore-missing')
    expect(typed).toEqual({ code: 0, stdout: 'my.yaml: valid configuration file\n', stderr: '' })
    const typo = await check(`${text}listne: x\n`, 'config check my.yaml --ignore-missing')
    expect(typo).toMatchObject({ code: 1, stdout: expect.stringContaining('with 1 error') as string })
  })

  test('a directory that the agent may not read is an error, because the agent refuses its stack', async () => {
    const typed = await check('stacks: [{ name: a, sources: [{ url: /srv/git/a }] }]\n')
    expect(typed.code).toBe(1)
    expect(typed.stdout).toMatch(/^error: .*is not below a directory of allow\.directories\.\n {2}my\.yaml:1: stacks/)
  })

  test('warns of values and secrets of stacks that cannot be read', async () => {
    const text = `stacks:
  - name: a
    sources: [{ url: 'https://a.example/a' }]
    secrets: { k: '\${env:GITMOOR_TEST_UNSET}' }
    values:
      v: '\${file:/gone}'
      w: '\${HOME}'
      plain: 5
`
    const { code, stdout } = await check(text)
    expect(code).toBe(0)
    for (const words of [
      /warning: .*"stacks\[0\]\.secrets\.k": The environment variable GITMOOR_TEST_UNSET is not set\.\n {2}my\.yaml:4/,
      /warning: .*"stacks\[0\]\.values\.v": Cannot read the file \/gone: .*\n {2}my\.yaml:6/,
      /warning: .*"stacks\[0\]\.values\.w": A \$\{…\} is neither \$\{env:NAME\} nor \$\{file:PATH\}\.\n {2}my\.yaml:7/,
    ])
      expect(stdout).toMatch(words)
    const ignored = await check(text, 'config check my.yaml --ignore-missing')
    expect(ignored).toEqual({ code: 0, stdout: 'my.yaml: valid configuration file: 1 stack\n', stderr: '' })
  })

  test('prints no secret', async () => {
    const typed = await check("credentials: { x: { match: nowhere, token: 's3cret', bearer: 's3cret' } }\n")
    expect(typed.code).toBe(1)
    expect(typed.stdout).not.toContain('s3cret')
  })

  test('a file that does not exist is a usage error', async () => {
    const typed = await typeLine('config check gone.yaml', { cwd: await makeDirectory() })
    expect(typed).toMatchObject({ code: 3, stdout: '' })
    expect(typed.stderr).toMatch(/File not found: .*gone\.yaml/)
  })
})

describe('validate', () => {
  test('recognizes a configuration file and checks it', async () => {
    expect(await check(valid, 'validate my.yaml')).toEqual({
      code: 0,
      stdout: 'my.yaml: valid configuration file: 2 stacks, 1 target, 1 credential\n',
      stderr: '',
    })
    const typed = await check(invalid, 'validate my.yaml')
    expect(typed.code).toBe(1)
    expect(typed.stdout).toContain('my.yaml: configuration file with 5 errors\n')
  })

  test('recognizes one with a syntax error', async () => {
    const typed = await check('stacks:\n  - name: [a\nlog: {}\n', 'validate my.yaml')
    expect(typed).toMatchObject({ code: 1, stdout: expect.stringContaining('my.yaml: configuration file') as string })
  })

  test('--json prints it beside the packages', async () => {
    const cwd = await makeDirectory()
    await writeFile(join(cwd, 'my.yaml'), 'log: { level: debug }\n')
    await writeFile(
      join(cwd, 'package.yml'),
      'apiVersion: influxdata.com/v2alpha1\nkind: Label\nmetadata: { name: red }\nspec: { color: "#ffffff" }\n',
    )
    const typed = await typeLine('validate package.yml my.yaml --json', { cwd })
    expect([typed.code, JSON.parse(typed.stdout)]).toEqual([
      0,
      {
        packages: [expect.objectContaining({ path: 'package.yml', valid: true })],
        configurations: [{ path: 'my.yaml', valid: true, declares: {}, problems: [] }],
      },
    ])
  })
})
