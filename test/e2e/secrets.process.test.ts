// Canaries in every field that holds a secret; then everything that can be done is done, and everything that can be
// read is read: none is found.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readDescription } from '../api/hostile/description.js'
import { rightRequest } from '../api/hostile/requests.js'
import { eachInTurn } from '../crash/each-in-turn.js'
import { bucket, label, task, yaml } from '../influxdb/packages.js'
import type { Ended, Started } from './processes.js'
import { useProgram } from './program.js'
import { rowsOf } from './rows-of.js'
import { until } from './until.js'

/** With characters that are written in another way in addresses, in JSON and in base64. */
const canaries = {
  tokenInEnvironment: 'cnry1+7f3a/9c51"e0d2%b846&x?',
  usernameInFile: 'cnry2+user/name"a1%b2',
  tokenInFile: 'cnry3+0011/2233"4455%6677~~>>',
  secretInFile: 'cnry4+aa/bb"cc%dd',
  credentialInEnvironment: 'cnry5+1122/33"44%55',
  secretPushed: 'cnry6+98/76"54%32',
  credentialPushed: 'cnry7+abc/def"ghi%jkl',
  secretReferred: 'cnryA+13/57"ac%eg',
  secretReferredLater: 'cnryB+24/68"bd%fh',
  credentialReferred: 'cnryC+mno/pqr"stu%vwx',
}
const {
  tokenInEnvironment,
  usernameInFile,
  tokenInFile,
  secretInFile,
  credentialInEnvironment,
  secretPushed,
  credentialPushed,
  secretReferred,
  secretReferredLater,
  credentialReferred,
} = canaries
/** A plain value in a package is only where the agent stores files of packages. */
const credentialWritten = 'cnry8-written-by-its-author'

const program = useProgram({ repository: 'private/one' })
const said: Buffer[] = []
beforeEach(() => void (said.length = 0))

const childrenFile = (): string => join(program.root, 'children')

/** A `git` that notes what it was given before it is git. */
function noteChildren(): string {
  const real = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim()
  const bin = join(program.root, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\ncat /proc/$$/environ /proc/$$/cmdline >> '${childrenFile()}'\nexec '${real}/git' "$@"\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  return `${bin}:${process.env['PATH'] ?? ''}`
}

function startAgent(): Promise<Started> {
  const { root, server } = program
  writeFileSync(join(root, 'username'), `${usernameInFile}\n`)
  writeFileSync(join(root, 'other-token'), tokenInFile)
  writeFileSync(join(root, 'slack'), secretInFile)
  const config = [
    'log: { level: debug, format: json }',
    `allow: { directories: ['${join(root, 'served')}'], secrets: ['env:MOOR_REFERRED', 'file:${referredDirectory()}'] }`,
    'credentials:',
    `  one: { match: '${server.url}/private/', username: '\${file:${join(root, 'username')}}', token: '\${env:MOOR_CANARY}', allowHttp: true }`,
    `  two: { match: '${server.url}/refused/', token: '\${file:${join(root, 'other-token')}}', allowHttp: true }`,
    `  three: { match: '${server.url}/moved/', token: '\${file:${join(root, 'other-token')}}', allowHttp: true }`,
    `  four: { match: '${server.url}/says/', token: '\${file:${join(root, 'other-token')}}', allowHttp: true }`,
    'targets:',
    '  other: { platform: embedded, organisation: other }',
    '  third: { platform: embedded, organisation: third }',
    'stacks:',
    '  - name: alerts',
    '    apply: approval',
    '    sources: [{ kind: inline }]',
    `    secrets: { slack: '\${file:${join(root, 'slack')}}' }`,
    "    values: { routing: '${env:MOOR_ROUTING}' }",
  ]
  writeFileSync(join(root, 'gitmoor.yaml'), `${config.join('\n')}\n`)
  return program.processes.agent(['--config', join(root, 'gitmoor.yaml')], {
    cwd: root,
    data: program.data,
    env: {
      MOOR_CANARY: tokenInEnvironment,
      MOOR_ROUTING: credentialInEnvironment,
      MOOR_REFERRED: credentialReferred,
      PATH: path,
    },
  })
}

let path: string

/** A server that answers with what it received. */
function gossip(): void {
  program.server.intercept(async ({ url, headers }, response, backend) => {
    const given = headers.authorization ?? ''
    const plain = Buffer.from(given.replace('Basic ', ''), 'base64').toString()
    const echo = `${given} ${plain} ${encodeURIComponent(plain)}`
    if (url.startsWith('/refused/'))
      return void response
        .writeHead(401, { 'WWW-Authenticate': `Basic realm="${given}"`, 'Content-Type': 'text/plain' })
        .end(echo)
    if (url.startsWith('/moved/')) {
      const [user, password] = plain.split(':').map(encodeURIComponent)
      return void response
        .writeHead(302, {
          Location: `http://${user}:${password}@127.0.0.1:9/${password}/x?token=${password}#${password}`,
        })
        .end()
    }
    if (url.startsWith('/says/')) {
      const line = `ERR ${echo}\n`
      const type = { 'Content-Type': 'application/x-git-upload-pack-result' }
      return void response.writeHead(200, type).end(`${(line.length + 4).toString(16).padStart(4, '0')}${line}`)
    }
    const { status, headers: reported, body } = await backend()
    response.writeHead(status, reported).end(body)
  })
}

/** Typed twice: for a person, and with --json. */
async function type(...args: readonly string[]): Promise<void> {
  for (const more of [[], ['--json']]) await typeOnce(...args, ...more)
}

async function typeOnce(...args: readonly string[]): Promise<Ended> {
  const ended = await program.type(...args)
  said.push(Buffer.from(ended.stdout), Buffer.from(ended.stderr))
  return ended
}

/**
 * Stacks whose remotes fail. Such a remote is polled on request once in 10 s, so each has a twin with its own remote.
 */
const failing = ['refused', 'moved', 'says']

/** The verbs in their order, for all stacks at once. */
async function typeForEach(stacks: readonly string[], verbs: readonly string[]): Promise<void> {
  await Promise.all(
    stacks.map(async (stack) => {
      for (const verb of verbs) await type(...verb.split(' '), stack)
    }),
  )
}

/** Secrets and credentials of every sort: by reference, left open, and in plain. */
const endpoints = yaml(
  ...[
    ['Slack', 'token: {secretRef: {key: slack}}'],
    ['PagerDuty', 'routingKey: {envRef: {key: routing}}'],
    ['HTTP', `type: bearer, method: POST, token: ${credentialWritten}`],
  ].map(
    ([sort, credential]) =>
      `apiVersion: influxdata.com/v2alpha1\nkind: NotificationEndpoint${sort}\nmetadata: {name: ${sort!.toLowerCase()}}\nspec: {url: 'https://x.example.test', ${credential}}\n`,
  ),
)

/** Hands packages with secrets over: to a stack that waits for a person, and to one that does not. */
async function pushSecrets(): Promise<void> {
  writeFileSync(join(program.root, 'endpoints.yml'), endpoints)
  writeFileSync(join(program.root, 'pushed-secret'), secretPushed)
  await type('stack', 'push', 'alerts', '-f', 'endpoints.yml')
  await type('plan', 'alerts', '--out', join(program.root, 'plan.json'))
  const { digest } = await program.json<{ digest: string }>('plan', 'alerts')
  await type('approve', 'alerts', digest)
  expect((await program.type('sync', 'alerts')).code).toBe(0)
  await type('stack', 'create', 'pushed', '--inline', '--target', 'other')
  const given = ['--env-ref', `routing=${credentialPushed}`, '--secret-file', 'slack=pushed-secret']
  await type('stack', 'push', 'pushed', '-f', 'endpoints.yml', ...given)
  await typeForEach(['alerts', 'pushed'], ['sync', 'explain', 'history', 'plan', 'stack get'])
  for (const address of [
    'Secret/slack',
    'NotificationEndpoint/slack',
    'NotificationEndpoint/pagerduty',
    'NotificationEndpoint/http',
  ])
    await type('resource', 'get', address, '--stack', 'pushed')
  for (const target of ['local', 'other']) await expectSecrets(target)
}

/** The three secrets of `endpoints` are on the target. */
async function expectSecrets(target: string): Promise<void> {
  const { stdout } = await typeOnce('resource', 'list', '--target', target, '--json')
  const { items } = JSON.parse(stdout) as { items: readonly { family: string }[] }
  expect(items.filter(({ family }) => family === 'Secret')).toHaveLength(3)
}

const referredDirectory = (): string => join(program.root, 'referred')

/** A stack that was made over the API with references to secrets. One of the files changes, and vanishes. */
async function referToSecrets(): Promise<void> {
  const file = join(referredDirectory(), 'slack')
  mkdirSync(referredDirectory())
  writeFileSync(file, secretReferred)
  const references = ['--secret', 'slack=file:referred/slack', '--secret', 'routing=env:MOOR_REFERRED']
  await type('stack', 'create', 'referring', '--inline', '--target', 'third', ...references)
  await type('stack', 'push', 'referring', '-f', 'endpoints.yml')
  await expectSecrets('third')
  const { stdout: document } = await typeOnce('stack', 'get', 'referring', '-o', 'yaml')
  expect(document).toContain('routing: ${env:MOOR_REFERRED}')
  expect(document).toContain(`slack: \${file:${file}}`)
  writeFileSync(file, secretReferredLater)
  await typeForEach(['referring'], ['plan'])
  expect(await typeOnce('sync', 'referring')).toMatchObject({ code: 0 })
  await type('resource', 'get', 'Secret/slack', '--stack', 'referring')
  await type('resource', 'get', 'NotificationEndpoint/slack', '--stack', 'referring')
  rmSync(file)
  const { code, stdout, stderr } = await typeOnce('sync', 'referring')
  expect(code).not.toBe(0)
  expect(stdout + stderr).toContain('secret "slack" of stack referring cannot be read now')
  await type('stack', 'set', 'referring', ...references)
  await typeForEach(['referring'], ['plan', 'explain', 'history', 'stack get'])
  for (const verb of ['doctor', 'stack list']) await type(...verb.split(' '))
}

/** Requests at once. */
const atOnce = 16

/** Every GET of the description, those of one stack for each stack, and what else is served. */
async function askEverything(run: string): Promise<void> {
  const { url, token } = program.address
  const headers = { Authorization: `Bearer ${token}` }
  const description = await (await fetch(`${url}/api/v1/openapi.json`, { headers })).json()
  const gets = readDescription(description).operations.filter(({ method }) => method === 'GET')
  const names = ['good', ...failing, 'literal', 'alerts', 'pushed', 'referring']
  const paths = gets.flatMap((operation) =>
    names.map((name) => {
      const examples = { name, run, which: 'Bucket/raw', channel: 'main', limit: 500 }
      return rightRequest(operation, examples, headers).path
    }),
  )
  const different = [...new Set([...paths, '/metrics', '/nowhere'])]
  expect(different.length).toBeGreaterThan(50)
  await eachInTurn(different, atOnce, async (path) => void said.push(await textOf(`${url}${path}`, headers)))
}

/** The headers and the body; of an endless stream, what comes within a second. */
async function textOf(url: string, headers: Readonly<Record<string, string>>): Promise<Buffer> {
  const ending = new AbortController()
  const answer = await fetch(url, { headers, signal: ending.signal })
  const chunks: Uint8Array[] = [Buffer.from(JSON.stringify([...answer.headers]))]
  const isEndless = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  const timer = isEndless ? setTimeout(() => ending.abort(), 1_000) : undefined
  try {
    for await (const chunk of answer.body ?? []) chunks.push(chunk as Uint8Array)
  } catch (error) {
    if (!ending.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
}

/** The forms of a secret. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((skipped) =>
    bytes
      .subarray((3 - skipped) % 3)
      .toString('base64')
      .replace(/.{1,3}=*$/, ''),
  )
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      encodeURIComponent(encodeURIComponent(secret)),
      JSON.stringify(secret).slice(1, -1),
      JSON.stringify(JSON.stringify(secret)).slice(3, -3),
      ...base64,
      ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
      bytes.toString('hex'),
    ]),
  ]
}

/** The secrets found, by place. */
function findIn(where: Readonly<Record<string, Buffer>>, secrets: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(where).flatMap(([place, bytes]) =>
      formsOf(secret)
        .filter((form) => bytes.includes(form))
        .map((form) => `${name} as ${form} in ${place}`),
    ),
  )
}

function filesBelow(directory: string): Readonly<Record<string, Buffer>> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  )
}

test('no secret appears in logs, answers, metrics, errors, the database, git directories, or arguments and environments of children', async () => {
  path = noteChildren()
  gossip()
  await program.push(yaml(label('red'), bucket('raw', { labels: ['red'] }), task('sum')))
  const agent = await startAgent()
  const literal = '${env:MOOR_CANARY}'
  await type('stack', 'create', 'good', '--repo', `${program.server.url}/private/one.git`, '--ref', 'main')
  const basic = program.server.seen.find(({ headers }) => headers.authorization !== undefined)!.headers.authorization!
  expect(Buffer.from(basic.slice('Basic '.length), 'base64').toString()).toBe(`${usernameInFile}:${tokenInEnvironment}`)
  for (const name of failing)
    for (const [stack, repository] of [
      [name, 'one'],
      [`${name}-too`, 'two'],
    ] as const)
      await type('stack', 'create', stack, '--repo', `${program.server.url}/${name}/${repository}.git`, '--ref', 'main')
  const named = program.server.seen.find(({ url }) => url.startsWith('/refused/'))!.headers.authorization!
  expect(Buffer.from(named.slice('Basic '.length), 'base64').toString()).toBe(`x-access-token:${tokenInFile}`)
  await type(
    'stack',
    'create',
    'literal',
    '--repo',
    `${program.server.url}/open/${literal}.git`,
    '--display-name',
    literal,
    '--ref',
    'main',
    '--path',
    literal,
  )
  await type('stack', 'create', 'inside', '--repo', `http://x:${encodeURIComponent(tokenInFile)}@127.0.0.1:9/one.git`)
  await type(
    'stack',
    'create',
    'near',
    '--repo',
    `file://${program.repository.directory}`,
    '--ref',
    'main',
    '--target',
    'local',
  )
  await program.push(yaml(label('red'), bucket('raw', { description: 'changed' })))
  await typeForEach(['good', 'near'], ['sync'])
  for (const name of failing) {
    await typeOnce('sync', name)
    await typeOnce('sync', `${name}-too`, '--json')
  }
  await typeOnce('sync', 'literal')
  await typeForEach(['good', ...failing, 'literal', 'near'], ['explain', 'history', 'plan'])
  await type('rollback', 'good', '1', '--why', literal, '--yes')
  await type('unpin', 'good')
  await type('suspend', 'good', '--why', literal)
  await type('resume', 'good')
  for (const line of [
    'stack list',
    'channel list',
    'channel log main',
    'resource list',
    'doctor',
    'stack get good',
    'stack get says',
    'history good 1',
  ])
    await type(...line.split(' '))
  await pushSecrets()
  await referToSecrets()
  for (const [name, ...options] of [['copy'], ['copy-with-key', '--with-key']] as const)
    expect(await typeOnce('backup', join(program.root, name), ...options)).toMatchObject({ code: 0 })
  const { url, token } = program.address
  const { lastRun } = (await (
    await fetch(`${url}/api/v1/stacks/good`, { headers: { Authorization: `Bearer ${token}` } })
  ).json()) as {
    lastRun: { id: string }
  }
  await askEverything(lastRun.id)
  said.push(await textOf(`${url}/api/v1/stacks`, { Authorization: `Bearer ${token}x` }))
  said.push(readFileSync(`/proc/${agent.child.pid}/cmdline`))
  const running = filesBelow(program.data)
  agent.child.kill('SIGKILL')
  said.push(Buffer.from((await agent.ended).stderr), Buffer.from(agent.stdout()))
  const again = await startAgent()
  await until('it goes on', async () => (await program.type('stack', 'list')).stdout.includes('good'))
  again.child.kill('SIGTERM')
  said.push(Buffer.from((await again.ended).stderr))

  const children = readFileSync(childrenFile())
  expect(children.includes('upload-pack')).toBe(true)
  expect(children.includes('MOOR_CANARY')).toBe(false)
  said.push(readFileSync(join(program.root, 'plan.json')))
  const copies = {
    copy: readFileSync(join(program.root, 'copy')),
    'copy-with-key': readFileSync(join(program.root, 'copy-with-key')),
  }
  const everything = {
    'what was said': Buffer.concat(said),
    children,
    ...copies,
    ...prefixed('running', running),
    ...filesBelow(program.data),
  }
  expect(everything['what was said'].length).toBeGreaterThan(50_000)
  expect(findIn(everything, canaries)).toEqual([])
  const written = { credentialWritten }
  const keepsFiles = /gitmoor\.db(?:-wal)?$|^copy(?:-with-key)?$/
  expect(findIn(everything, written).filter((found) => !keepsFiles.test(found.replace(/.* in /, '')))).toEqual([])
  const rows = rowsOf(join(program.data, 'gitmoor.db'))
  expect(rows.includes('(secret ')).toBe(true)
  expect(findIn({ rows }, { ...canaries, ...written })).toEqual([])
  const withToken = findIn(everything, { token }).map((found) => found.replace(/.* in (?:.*\/)?/, ''))
  expect([...new Set(withToken)].sort()).toEqual(['agent.json', 'copy-with-key', 'token'])
  for (const file of ['agent.json', 'token', 'key']) expect(statSync(join(program.data, file)).mode & 0o777).toBe(0o600)
})

function prefixed(prefix: string, files: Readonly<Record<string, Buffer>>): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${prefix}: ${name}`, bytes]))
}
