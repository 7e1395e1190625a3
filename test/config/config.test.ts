import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { configurationKeys, readConfiguration, type Configuration } from '../../src/config/config.js'
import { credentialLookup, dataDirectory, readEnvironment } from '../../src/config/environment.js'
import { platforms } from '../../src/platforms.js'

/** The tests must not use a proxy of the machine. */
const networkVariables = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
]

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-config-'))
  for (const name of ['GITMOOR_DATA', 'GITMOOR_URL', 'GITMOOR_TOKEN', 'NO_COLOR', ...networkVariables])
    vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(directory, { recursive: true, force: true })
})

function read(text: string): ReturnType<typeof readConfiguration> {
  writeFileSync(join(directory, 'gitmoor.yaml'), text)
  return readConfiguration('gitmoor.yaml', { platforms }, directory)
}

function good(text: string): Configuration {
  const { value, problems } = read(text)
  expect(problems).toEqual([])
  return value!
}

function linesOf(text: string): readonly string[] {
  const { value, problems } = read(text)
  expect(value).toBeUndefined()
  return problems.map(
    ({ code, place, field, message }) => `${code} ${place!.file}:${place!.line} ${field ?? '-'}: ${message}`,
  )
}

const sshLine = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ1C0bV2cYNRpNBdkbSYcs0vHYrVvPUyV0Ip3oYJPjcQ ana'
const armoured = '-----BEGIN PGP PUBLIC KEY BLOCK-----\\n\\nabcd\\n-----END PGP PUBLIC KEY BLOCK-----'

describe('without a file', () => {
  test('everything has its default', () => {
    const { value, problems } = readConfiguration(undefined, { platforms }, directory)
    expect(problems).toEqual([])
    expect(value).toEqual({
      listen: { host: '127.0.0.1', port: 4470 },
      hosts: [],
      copies: { everyMs: 86_400_000, kept: 3 },
      metrics: { public: false },
      page: { enabled: true },
      data: join(directory, '.gitmoor'),
      log: { level: 'info', format: 'text' },
      limits: {
        gitRequestMs: 30_000,
        fetchMs: 120_000,
        driverCallMs: 30_000,
        runMs: 1_800_000,
        packBytes: 33_554_432,
        refsBytes: 16_777_216,
        fileBytes: 4_194_304,
        totalBytes: 67_108_864,
        files: 10_000,
        depth: 32,
        documents: 20_000,
        runsKept: 100,
        revisionsKept: 20,
        remoteMs: 30_000,
        remoteBytes: 2 * 1024 * 1024,
        remoteRedirects: 5,
        evaluationMs: 5_000,
        evaluationMemory: 256 * 1024 * 1024,
        evaluationBytes: 8 * 1024 * 1024,
        webhookBytes: 1024 * 1024,
        templateBytes: 64 * 1024 * 1024,
        pollsPerHost: 10,
        concurrency: 16,
      },
      allow: { directories: [], secrets: { environment: [], files: [] }, networks: [] },
      credentials: [],
      connections: [],
      keys: [],
      webhooks: [],
      receivers: { notifications: [], statuses: [] },
      channels: [],
      targets: { local: { platform: 'embedded', settings: { organisation: 'main' } } },
      declaredTargets: [],
      stacks: [],
      fleets: [],
      values: expect.any(Array) as unknown,
    })
  })

  test('an empty file is the same, with a warning', () => {
    const { value, problems } = read('# nothing\n')
    expect(problems).toMatchObject([{ severity: 'warning', code: 'config/empty' }])
    expect(value).toEqual({
      ...readConfiguration(undefined, { platforms }, directory).value,
      file: join(directory, 'gitmoor.yaml'),
    })
  })
})

/** Keys that have no value by default. */
const documented =
  `onFailure organisation networks allowHttp username push bearer header githubApp appId installationId privateKey api
  ca certificate key proxy proxyUsername proxyPassword`.split(/\s+/)

describe('the example configuration', () => {
  test('is valid, and has the defaults of all limits', () => {
    const { value, problems } = readConfiguration(resolve('config/gitmoor.yaml'), { platforms })
    expect(problems).toEqual([])
    expect(value!.limits).toEqual(readConfiguration(undefined, { platforms }).value!.limits)
  })

  test('allows the demo and follows its tag stable', () => {
    const { value } = readConfiguration(resolve('config/gitmoor.yaml'), { platforms })
    expect(value!.allow.directories).toEqual([{ path: resolve('demo') }])
    expect(value!.stacks).toMatchObject([
      { name: 'demo', sources: [{ url: pathToFileURL(resolve('demo')).href, ref: 'stable' }] },
    ])
  })

  test('names every key', () => {
    const text = readFileSync('config/gitmoor.yaml', 'utf8')
    for (const key of [...configurationKeys, ...documented]) expect(text).toMatch(new RegExp(`\\b${key}:`))
  })
})

describe('a configuration file', () => {
  test('has the listen address', () => {
    expect(good('listen: "[::1]:0"').listen).toEqual({ host: '::1', port: 0 })
    expect(good('listen: localhost:80').listen).toEqual({ host: 'localhost', port: 80 })
  })

  test('is overridden by --log', () => {
    writeFileSync(join(directory, 'gitmoor.yaml'), 'log: { level: warn, format: auto }')
    const logWith = (overrides: object): unknown =>
      readConfiguration('gitmoor.yaml', { platforms, ...overrides }, directory).value!.log
    expect(logWith({})).toEqual({ level: 'warn', format: 'auto' })
    expect(logWith({ log: 'json' })).toEqual({ level: 'warn', format: 'json' })
  })

  test('resolves relative paths from the working directory of the agent', () => {
    const value = good(
      'data: state\nallow: { directories: [./demo, { path: /srv/git, owner: 1001 }] }\nstacks: [{ name: a, sources: [{ url: ./demo }] }]',
    )
    expect(value.data).toBe(join(directory, 'state'))
    expect(value.allow.directories).toEqual([{ path: join(directory, 'demo') }, { path: '/srv/git', owner: 1001 }])
    expect(value.stacks[0]!.sources[0]).toMatchObject({ url: pathToFileURL(join(directory, 'demo')).href })
  })

  test('with a stack in a directory that may not be read is valid, with a warning at its line', () => {
    const text =
      'allow: { directories: [./demo] }\nstacks:\n  - name: a\n    sources: [{ url: ./demo }, { kind: directory, directory: ./other }]'
    const { value, problems } = read(text)
    expect(value!.stacks).toHaveLength(1)
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        code: 'source/directory-not-allowed',
        message: `${join(directory, 'other')} is not below a directory of allow.directories.`,
        place: { file: 'gitmoor.yaml', line: 4 },
        field: 'stacks[0].sources[1].directory',
      },
    ])
  })

  test('with a fleet of targets whose sources may not be read is valid, with a warning at its line', () => {
    const text =
      'fleets:\n  - name: a\n    targets: { selector: env=prod }\n    template:\n      sources: [{ kind: directory, directory: ./other }]'
    const { value, problems } = read(text)
    expect(value!.fleets).toMatchObject([
      { targets: { selector: 'env=prod' }, template: { sources: [{ directory: join(directory, 'other') }] } },
    ])
    expect(problems).toMatchObject([
      { severity: 'warning', field: 'fleets[0].template.sources[0].directory', place: { line: 5 } },
    ])
  })

  test('declares targets beside local', () => {
    const { targets } = good(
      'targets: { lab: { platform: embedded, organisation: lab } }\nstacks: [{ name: a, target: lab, sources: [{ url: https://h/x }] }]',
    )
    expect(targets).toEqual({
      local: { platform: 'embedded', settings: { organisation: 'main' } },
      lab: { platform: 'embedded', settings: { organisation: 'lab' } },
    })
  })

  test('keeps references in credentials, which are resolved at each use', () => {
    vi.stubEnv('LAB_TOKEN', 'very-secret')
    const text =
      'credentials:\n  lab: { match: "http://lab.example/", token: "${env:LAB_TOKEN}", username: robot, allowHttp: true }'
    const { credentials } = good(text)
    expect(credentials).toEqual([
      { name: 'lab', match: 'http://lab.example/', token: '${env:LAB_TOKEN}', username: 'robot', allowHttp: true },
    ])
    expect(credentialLookup(directory).environment('LAB_TOKEN')).toBe('very-secret')
  })

  test('keeps references in values and secrets of a stack, even if they cannot be resolved', () => {
    const given = 'values: { region: "${env:REGION}", deep: 3, on: true }\n    secrets: { slack: "${file:gone}" }'
    const { value, problems } = read(`${stack}    ${given}\n`)
    expect(value!.stacks[0]).toMatchObject({
      values: { region: '${env:REGION}', deep: 3, on: true },
      secrets: { slack: '${file:gone}' },
    })
    expect(problems.map(({ severity, code, field }) => [severity, code, field])).toEqual([
      ['warning', 'config/unresolved', 'stacks[0].values.region'],
      ['warning', 'config/unresolved', 'stacks[0].secrets.slack'],
    ])
  })

  test('has one kind of secret in each credential', () => {
    const text = `credentials:
  a: { match: https://a/, bearer: abc, push: true }
  b: { match: https://b/, header: { name: PRIVATE-TOKEN, value: abc } }
  c: { match: https://c/, githubApp: { appId: 12, installationId: '34', privateKey: pem } }`
    expect(good(text).credentials).toEqual([
      { name: 'a', match: 'https://a/', bearer: 'abc', push: true },
      { name: 'b', match: 'https://b/', header: { name: 'PRIVATE-TOKEN', value: 'abc' } },
      {
        name: 'c',
        match: 'https://c/',
        githubApp: { appId: '12', installationId: '34', privateKey: 'pem', api: 'https://api.github.com' },
      },
    ])
  })

  test('has the web address of a Git host, which is also that of its API', () => {
    const text =
      "credentials: { moor: { match: 'https://g.example/', token: x } }\n" +
      "commitStatus: { host: { match: 'ssh://git@g.example:2222/', provider: gitea, credential: moor, " +
      "web: 'https://w.example:8443/' } }"
    const web = 'https://w.example:8443'
    expect(good(text).receivers.statuses).toMatchObject([{ forge: 'gitea', web, api: `${web}/api/v1` }])
  })

  test('has the connections', () => {
    const text =
      'connections:\n  lab: { match: "https://lab/", proxy: "http://p:3128", proxyUsername: u, proxyPassword: p }\n  near: { match: "http://n/", proxy: none }'
    expect(good(text).connections).toEqual([
      { name: 'lab', match: 'https://lab/', proxy: 'http://p:3128', proxyUsername: 'u', proxyPassword: 'p' },
      { name: 'near', match: 'http://n/', proxy: 'none' },
    ])
  })

  test('treats ${…} as plain text elsewhere', () => {
    expect(good('data: ${env:HOME}').data).toBe(join(directory, '${env:HOME}'))
  })
})

const stack = 'stacks:\n  - name: a\n    sources: [{ url: https://h/x }]\n'
const bad: Readonly<Record<string, readonly [string, string]>> = {
  'a secret of a webhook that is short': [
    'webhooks: { hub: { provider: github, secret: short } }',
    '"webhooks.hub.secret" must have at least 16 characters.',
  ],
  'a secret of a webhook that does not exist': [
    "webhooks: { hub: { provider: github, secret: '${file:gone}' } }",
    'config/unresolved gitmoor.yaml:1 webhooks.hub.secret: Cannot read "webhooks.hub.secret": ',
  ],
  'two webhooks with one address': [
    'webhooks:\n  hub: { provider: github, secret: 0123456789abcdef }\n  lab: { provider: gitlab, secret: 0123456789abcdef, id: hub }',
    'config/duplicate gitmoor.yaml:3 webhooks.lab.id: "webhooks.lab.id" is the same as "webhooks.hub.id" at gitmoor.yaml:2.',
  ],
  'a webhook without a repository': [
    'webhooks: { builds: { provider: generic, secret: 0123456789abcdef } }',
    '"webhooks.builds.generic" must set repository, unless "remotes" lists the remotes.',
  ],
  'an invalid place in a body': [
    'webhooks: { builds: { provider: generic, secret: 0123456789abcdef, generic: { repository: url } } }',
    '"webhooks.builds.generic.repository" must be a JSON Pointer, such as /repository/url.',
  ],
  'an unknown provider': [
    'webhooks: { hub: { provider: sourcehut, secret: 0123456789abcdef } }',
    '"webhooks.hub.provider"',
  ],
  'a typo in a key': [
    'lisen: x',
    'config/unknown-key gitmoor.yaml:1 lisen: Unknown key "lisen". Did you mean "listen"?',
  ],
  'a setting of a stack at the top': [
    'interval: 30s',
    'gitmoor.yaml:1 interval: Unknown key "interval". It belongs at "stacks[].interval".',
  ],
  'a setting of a source at the top': [
    'digest: sha256:abc',
    'gitmoor.yaml:1 digest: Unknown key "digest". It belongs at "stacks[].sources[].digest".',
  ],
  'a receiver without a kind': [
    'notifications: { ops: { on: [failed] } }',
    'has no receiver. Set one of webhook, slack',
  ],
  'a template with an unknown placeholder': [
    "notifications: { ops: { webhook: { url: 'https://h/', body: '${nme}' } } }",
    '"notifications.ops.webhook.body" has the placeholder ${nme}, which does not exist.',
  ],
  'a template that is no JSON': [
    "notifications: { ops: { webhook: { url: 'https://h/', body: '{${title}}' } } }",
    '"notifications.ops.webhook.body" is not valid JSON once its placeholders are replaced.',
  ],
  'a malformed selector of a receiver': [
    "notifications: { ops: { slack: { url: 'https://h/' }, selector: 'a=' , on: [nothing] } }",
    'notifications.ops.on[0]',
  ],
  'a commit status without a credential': [
    "commitStatus: { host: { match: 'https://github.com/', credential: moor } }",
    'names the credential "moor", which is not declared under "credentials".',
  ],
  'a commit status of an unknown host': [
    "credentials: { moor: { match: 'https://git.example/', token: x } }\ncommitStatus: { host: { match: 'https://git.example/', credential: moor } }",
    'needs provider, as gitmoor does not know this host: github, gitlab, gitea, forgejo.',
  ],
  'a web address without TLS': [
    "credentials: { moor: { match: 'https://g.example/', token: x } }\ncommitStatus: { host: { match: 'ssh://git@g.example/', provider: gitea, credential: moor, web: 'http://g.example' } }",
    '"commitStatus.host.web" must begin with https://.',
  ],
  'a web address of a host with an https address': [
    "credentials: { moor: { match: 'https://g.example/', token: x } }\ncommitStatus: { host: { match: 'https://g.example/', provider: gitea, credential: moor, web: 'https://w.example' } }",
    '"commitStatus.host.web" is only for a match with an ssh address',
  ],
  'a typo in a nested key': [
    'log:\n  levle: info',
    'gitmoor.yaml:2 log.levle: Unknown key "levle". Did you mean "level"?',
  ],
  'an address to listen at without port': ['listen: 127.0.0.1', '"listen" must be HOST:PORT'],
  'a port that is too large': ['listen: h:70000', '"listen" must be HOST:PORT'],
  'an IPv6 address without brackets': ['listen: "::1:80"', '"listen" must be HOST:PORT'],
  'a host with a scheme': ['hosts: ["https://h"]', '"hosts[0]" must be the name of a host'],
  'an unknown level': [
    'log: { level: inf }',
    '"log.level" must be one of debug, info, warn, error, not "inf". Did you mean "info"?',
  ],
  'a length of time as a number': [
    'limits: { fetch: 30 }',
    '"limits.fetch" must be a whole number and a unit: 30s, 2m, 1h.',
  ],
  'a length of time without end': ['limits: { run: 2d }', '"limits.run" must be between 100ms and 1d.'],
  'a time between copies as a number': [
    'copies: { every: 30 }',
    '"copies.every" must be a whole number and a unit: 30s, 2m, 24h.',
  ],
  'a size as a number': [
    'limits: { packBytes: 32 }',
    '"limits.packBytes" must be a whole number and a unit: 512KiB, 32MiB, 1GiB.',
  ],
  'a time between copies without end': ['copies: { every: 900d }', '"copies.every" must be between 1s and 365d, or 0.'],
  'a size in other units': [
    'limits: { packBytes: 32MB }',
    '"limits.packBytes" must be a whole number and a unit: 512KiB, 32MiB, 1GiB.',
  ],
  'a size of nothing': ['limits: { fileBytes: 0B }', '"limits.fileBytes" must be between 1KiB and 256MiB.'],
  'a limit of 0': ['limits: { files: 0 }', '"limits.files" is too small: at least 1.'],
  'a network without length': ['allow: { networks: [10.0.0.0] }', '"allow.networks[0]" must be a network'],
  'a network that is too long': ['allow: { networks: [10.0.0.0/33] }', '"allow.networks[0]" must be a network'],
  'an unknown platform': [
    'targets: { x: { platform: influx } }',
    '"targets.x.platform" must be "embedded" or "influxdb", not "influx".',
  ],
  'a target without platform': [
    'targets: { x: {} }',
    '"targets.x.platform" is missing: "embedded" or "influxdb" is needed.',
  ],
  'a target whose name is not a DNS label': [
    'targets: { X_1: { platform: embedded } }',
    '"targets.X_1": must be 1 to 63 of',
  ],
  'a credential without a secret': [
    'credentials: { x: { match: https://h/ } }',
    '"credentials.x" has no secret. Set one of token, bearer, header, githubApp.',
  ],
  'a credential of two kinds': [
    'credentials: { x: { match: https://h/, token: a, bearer: b } }',
    '"credentials.x" has token and bearer. Set only one of them.',
  ],
  'a user name without a token': [
    'credentials: { x: { match: https://h/, bearer: b, username: u } }',
    '"credentials.x" has username, which only works with token.',
  ],
  'a credential in a header that controls the connection': [
    'credentials: { x: { match: https://h/, header: { name: Host, value: b } } }',
    '"credentials.x.header.name" is not a header that may carry a credential.',
  ],
  'an app whose key does not exist': [
    'credentials: { x: { match: https://h/, githubApp: { appId: 1, installationId: 2, privateKey: "${file:gone}" } } }',
    'credentials.x.githubApp.privateKey: Cannot read "credentials.x.githubApp.privateKey": Cannot read the file',
  ],
  'an app whose API has no encryption': [
    'credentials: { x: { match: https://h/, githubApp: { appId: 1, installationId: 2, privateKey: k, api: http://h/ } } }',
    '"credentials.x.githubApp.api" is http',
  ],
  'a credential for ssh without known hosts': [
    'credentials: { x: { match: "ssh://git@h/", identityFile: id } }',
    '"credentials.x" needs knownHosts, the file with the host keys of the servers.',
  ],
  'a token for ssh': [
    'credentials: { x: { match: "ssh://git@h/", token: abc } }',
    '"credentials.x" has token, which this match does not support. Supported: identityFile, agent.',
  ],
  'a key for https': [
    'credentials: { x: { match: https://h/, identityFile: id, knownHosts: known } }',
    '"credentials.x" has identityFile, which this match does not support. Supported: token, bearer, header, githubApp.',
  ],
  'known hosts for https': [
    'credentials: { x: { match: https://h/, token: abc, knownHosts: known } }',
    '"credentials.x" has knownHosts, which only ssh uses.',
  ],
  'a key and a key agent': [
    'credentials: { x: { match: "ssh://git@h/", identityFile: id, agent: /a, knownHosts: known } }',
    '"credentials.x" has identityFile and agent. Set only one of them.',
  ],
  'a match for ssh in the form of scp': [
    'credentials: { x: { match: "git@h:acme/", agent: /a, knownHosts: known } }',
    '"credentials.x.match" must be the beginning of an address: ssh://git@github.com/acme/',
  ],
  'a key file that does not exist': [
    'credentials: { x: { match: "ssh://git@h/", identityFile: gone, knownHosts: gitmoor.yaml } }',
    'Cannot read "credentials.x": Cannot read the file',
  ],
  'a key file whose path ssh would misread': [
    'credentials: { x: { match: "ssh://git@h/", identityFile: "a b", knownHosts: gitmoor.yaml } }',
    '"credentials.x.identityFile" must be a path without white space',
  ],
  'a key file that is a reference': [
    'credentials: { x: { match: "ssh://git@h/", identityFile: "${file:a}", knownHosts: gitmoor.yaml } }',
    '"credentials.x.identityFile" must be a file path',
  ],
  'two credentials for one ssh address': [
    'credentials:\n  x: { match: "ssh://git@h/a", agent: /a, knownHosts: gitmoor.yaml }\n  y: { match: "ssh://git@H:22/a/", agent: /a, knownHosts: gitmoor.yaml }',
    'config/duplicate gitmoor.yaml:3 credentials.y.match: "credentials.y.match" is the same as "credentials.x.match" at gitmoor.yaml:2.',
  ],
  'a connection to a mail server': [
    'connections: { x: { match: smtps://mail.example/, proxy: none } }',
    '"connections.x.match" is a mail server, which connections do not apply to: set email.ca',
  ],
  'a connection without settings': ['connections: { x: { match: https://h/ } }', '"connections.x" has no effect'],
  'a connection with a certificate without its key': [
    'connections: { x: { match: https://h/, certificate: a.pem } }',
    '"connections.x" needs both certificate and key.',
  ],
  'a connection with a proxy user but no proxy password': [
    'connections: { x: { match: https://h/, proxy: "http://p:1", proxyUsername: u } }',
    '"connections.x" needs both proxyUsername and proxyPassword.',
  ],
  'a connection with a proxy user but no proxy': [
    'connections: { x: { match: https://h/, proxy: none, proxyUsername: u, proxyPassword: p } }',
    '"connections.x" has proxyUsername, but proxy is not an address.',
  ],
  'a proxy with a password in its address': [
    'connections: { x: { match: https://h/, proxy: "http://u:pw@p:1" } }',
    '"connections.x.proxy" must not contain a username or password',
  ],
  'a proxy with another scheme': [
    'connections: { x: { match: https://h/, proxy: "socks5://p:1" } }',
    '"connections.x.proxy" must start with http:// or https://.',
  ],
  'certificates for an http address': [
    'connections: { x: { match: http://h/, ca: a.pem } }',
    '"connections.x" has certificates, but its address is http, which does not use them.',
  ],
  'an authority file that does not exist': [
    'connections: { x: { match: https://h/, ca: gone.pem } }',
    'Cannot read "connections.x.ca": Cannot read the file',
  ],
  'an authority file that is not a certificate': [
    'connections: { x: { match: https://h/, ca: gitmoor.yaml } }',
    'gitmoor.yaml contains no certificate in PEM format.',
  ],
  'an authority file that is a reference': [
    'connections: { x: { match: https://h/, ca: "${file:a}" } }',
    '"connections.x.ca" must be a file path',
  ],
  'two connections for one address': [
    'connections:\n  x: { match: https://h/a, proxy: none }\n  y: { match: "https://H:443/a", proxy: none }',
    'config/duplicate gitmoor.yaml:3 connections.y.match: "connections.y.match" is the same as "connections.x.match" at gitmoor.yaml:2.',
  ],
  'a credential for http': ['credentials: { x: { match: http://h/, token: abc } }', '"credentials.x.match" is http'],
  'a credential with a password in its match': [
    'credentials: { x: { match: "https://u:pw@h/", token: abc } }',
    'must not contain a user name or password',
  ],
  'two credentials for one address': [
    'credentials:\n  x: { match: https://h/a, token: abc }\n  y: { match: "https://H:443/a", token: abc }',
    'config/duplicate gitmoor.yaml:3 credentials.y.match: "credentials.y.match" is the same as "credentials.x.match" at gitmoor.yaml:2.',
  ],
  'a credential from a variable that is not set': [
    'credentials:\n  x:\n    match: https://h/\n    token: ${env:GITMOOR_TEST_UNSET}',
    'config/unresolved gitmoor.yaml:4 credentials.x.token: Cannot read "credentials.x.token": The environment variable GITMOOR_TEST_UNSET is not set.',
  ],
  'a credential from a file that does not exist': [
    'credentials: { x: { match: https://h/, token: "${file:gone}" } }',
    'gone: no such file or directory.',
  ],
  'a credential from an unknown source': [
    'credentials: { x: { match: https://h/, token: "${vault:a}" } }',
    'neither ${env:NAME} nor ${file:PATH}',
  ],
  'a channel policy with an unknown key': [
    'channels:\n  - { ref: stable, signedBy: [ops] }',
    'gitmoor.yaml:2 channels[0].signedBy[0]: "channels[0].signedBy[0]" names a key that is not declared under "keys".',
  ],
  'a channel policy for an invalid address': [
    'channels: [{ remote: acme }]',
    '"channels[0].remote" must be an address or its beginning, such as https://github.com/acme/ or /srv/git/.',
  ],
  'a channel policy for an invalid ssh address': [
    'channels: [{ remote: "git@h:acme" }]',
    'beginning of an address: ssh://git@github.com/acme/',
  ],
  'a channel policy with an unknown value': [
    'channels: [{ moves: forward }]',
    '"channels[0].moves" must be one of any, approve-back',
  ],
  'a cool-down as a number': [
    'channels: [{ minAge: 15 }]',
    '"channels[0].minAge" must be a whole number and a unit: 15m, 2h.',
  ],
  'a signing key without a type': ['keys: { ops: {} }', '"keys.ops" must have exactly one of gpg and ssh.'],
  'a signing key of two types': [
    `keys: { ops: { gpg: "${armoured}", ssh: ${sshLine} } }`,
    '"keys.ops" must have exactly one of gpg and ssh.',
  ],
  'an invalid SSH signing key': ['keys: { ops: { ssh: ssh-dss AAAA } }', '"keys.ops.ssh" must be a public SSH key'],
  'an invalid GPG signing key': ['keys: { ops: { gpg: ABCD1234 } }', '"keys.ops.gpg" must be an armored public key'],
  'a private key': [
    'keys: { ops: { ssh: "-----BEGIN OPENSSH PRIVATE KEY-----" } }',
    '"keys.ops.ssh" contains a private key',
  ],
  'a signing key from a file that does not exist': [
    'keys: { ops: { gpg: "${file:gone}" } }',
    'gone: no such file or directory.',
  ],
  'two stacks with one name': [
    `${stack}  - name: a\n    sources: [{ url: https://h/y }]`,
    'config/duplicate gitmoor.yaml:4 stacks[1].name: "stacks[1].name" is the same as "stacks[0].name" at gitmoor.yaml:2.',
  ],
  'a target that is not declared': [
    `${stack}    target: locl`,
    'config/unknown-target gitmoor.yaml:4 stacks[0].target: "stacks[0].target" names the target "locl", which is not declared under "targets". Did you mean "local"?',
  ],
  'stacks that depend on each other': [
    `${stack}    dependsOn: [b]\n  - { name: b, sources: [{ url: https://h/y }], dependsOn: [a] }`,
    'config/cycle gitmoor.yaml:4 stacks[0].dependsOn: Stacks would wait for each other: a → b → a.',
  ],
  'a target of a fleet that is not declared': [
    'fleets:\n  - name: a\n    directories: { repo: https://h/x }\n    template:\n      target: locl',
    'config/unknown-target gitmoor.yaml:5 fleets[0].template.target: "fleets[0].template.target" names the target "locl"',
  ],
  'a named target of a fleet that is not declared': [
    'fleets:\n  - name: a\n    targets: { names: [local, lokal] }\n    template: { sources: [{ url: https://h/x }] }',
    'config/unknown-target gitmoor.yaml:3 fleets[0].targets.names[1]: "fleets[0].targets.names[1]" names the target "lokal"',
  ],
  'a fleet without directories and targets': [
    'fleets:\n  - name: a',
    'config/invalid gitmoor.yaml:2 fleets[0]: "fleets[0]" must have either directories or targets.',
  ],
  'two fleets with one name': [
    'fleets:\n  - { name: a, directories: { repo: https://h/x } }\n  - { name: a, directories: { repo: https://h/x } }',
    'config/duplicate gitmoor.yaml:3 fleets[1].name: "fleets[1].name" is the same as "fleets[0].name"',
  ],
  'a family that does not exist': [
    `${stack}    ignore: [{ family: Buckt, path: name }]`,
    'config/unknown-family gitmoor.yaml:4 stacks[0].ignore[0].family: "stacks[0].ignore[0].family" names a family that does not exist. Did you mean "Bucket"?',
  ],
  'a stack with an error': [
    `${stack}    interval: 1s`,
    'gitmoor.yaml:4 stacks[0].interval: "stacks[0].interval" must be between 5s and 7d.',
  ],
  'a secret in plain': [`${stack}    secrets: { slack: xoxb }`, 'must be ${env:NAME} or ${file:PATH}'],
  'a secret that is partly plain text': [
    `${stack}    secrets: { slack: "xoxb-\${env:A}" }`,
    'must be ${env:NAME} or ${file:PATH}',
  ],
  'a value that is a list': [`${stack}    values: { a: [] }`, 'must be a text, a number, true or false.'],
  'a list instead of a map': ['- listen: x', 'A configuration file is a map of keys, such as `stacks`, not a list.'],
  'a text instead of stacks': ['stacks: none', '"stacks" must be a list, not a text.'],
  'a key twice': [
    'hosts: []\nhosts: []',
    'config/syntax gitmoor.yaml:2 -: Duplicate key "hosts", first at gitmoor.yaml:1.',
  ],
  'a key twice in a map on one line': [
    'log:\n  { level: info, format: text,\n    "level": warn }',
    'config/syntax gitmoor.yaml:3 -: Duplicate key "level", first at gitmoor.yaml:2.',
  ],
  'a tab where blanks are needed': ['log:\n\tlevel: info', 'config/syntax gitmoor.yaml:2'],
}

test('a duplicate key does not hide other problems', () => {
  expect(linesOf('hosts: []\nhosts: []\nlisten: nonsense\nlimtis: {}')).toEqual([
    expect.stringMatching(/^config\/syntax gitmoor\.yaml:2 -: Duplicate key "hosts"/),
    expect.stringMatching(/^config\/invalid gitmoor\.yaml:3 listen: /),
    expect.stringMatching(/^config\/unknown-key gitmoor\.yaml:4 limtis: /),
  ])
})

test('a credential of a target that cannot be read is a warning, and the others take effect', () => {
  const { value, problems } = read(
    "targets: { prod: { platform: influxdb, url: 'https://db.test', organisation: main, token: '${env:NOT_SET}' } }",
  )
  expect(Object.keys(value!.targets)).toEqual(['local', 'prod'])
  expect(problems).toMatchObject([
    {
      severity: 'warning',
      code: 'config/unresolved',
      field: 'targets.prod.token',
      message: 'Cannot read "targets.prod.token": The environment variable NOT_SET is not set.',
    },
  ])
})

test('channel policies are read with their defaults, in their order', () => {
  const text =
    'channels:\n  - { remote: "https://h/acme", ref: "v*", moves: forward-only, minAge: 15m, movesPerHour: 3 }\n  - {}\n' +
    '  - { remote: /srv/git }'
  expect(good(text).channels).toEqual([
    { remote: 'https://h/acme', ref: 'v*', moves: 'forward-only', minAgeMs: 900_000, movesPerHour: 3 },
    { moves: 'any', minAgeMs: 0 },
    { remote: 'file:///srv/git', moves: 'any', minAgeMs: 0 },
  ])
})

test('signing keys are read with their names', () => {
  expect(good(`keys: { ana: { ssh: ${sshLine} } }`).keys).toEqual([{ name: 'ana', kind: 'ssh', text: sshLine }])
})

describe('a configuration is refused for', () => {
  test.each(Object.entries(bad))('%s', (_, [text, words]) => {
    const lines = linesOf(text)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(words)
  })

  test('all its problems at once, in the order of their lines', () => {
    const text =
      'lisen: x\nlog:\n  level: loud\ncredentials:\n  x:\n    match: nowhere\n    token: ${env:}\n    extra: 1\nstacks:\n  - name: a\n    sources: []\n    target: b\n  - name: a\n'
    expect(linesOf(text).map((line) => line.replace(/: .*/, ''))).toEqual([
      'config/unknown-key gitmoor.yaml:1 lisen',
      'config/invalid gitmoor.yaml:3 log.level',
      'config/invalid gitmoor.yaml:6 credentials.x.match',
      'config/unresolved gitmoor.yaml:7 credentials.x.token',
      'config/unknown-key gitmoor.yaml:8 credentials.x.extra',
      'config/invalid gitmoor.yaml:11 stacks[0].sources',
      'config/unknown-target gitmoor.yaml:12 stacks[0].target',
      'config/invalid gitmoor.yaml:13 stacks[1].sources',
      'config/duplicate gitmoor.yaml:13 stacks[1].name',
    ])
  })

  test('directories that it may not read, together with errors of other sections', () => {
    const stack = (name: string): string => `  - { name: ${name}, sources: [{ url: ./${name} }], dependsOn: [b] }\n`
    const text = `limits:\n  fetch: nowhere\nallow: { directories: [./demo] }\nstacks:\n${stack('a')}${stack('b')}`
    expect(linesOf(text).map((line) => line.replace(/: .*/, ''))).toEqual([
      'config/invalid gitmoor.yaml:2 limits.fetch',
      'source/directory-not-allowed gitmoor.yaml:5 stacks[0].sources[0].url',
      'config/cycle gitmoor.yaml:6 stacks[1].dependsOn',
      'source/directory-not-allowed gitmoor.yaml:6 stacks[1].sources[0].url',
    ])
  })

  test('a missing file, with its full path', () => {
    const { value, problems } = readConfiguration('gone.yaml', { platforms }, directory)
    expect(value).toBeUndefined()
    const hint = 'Check the path of --config FILE, or omit --config to use the defaults.'
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'config/unreadable',
        message: `File not found: ${join(directory, 'gone.yaml')}`,
        hint,
      },
    ])
  })

  test.each<readonly [string, (file: string) => void, string]>([
    ['a FIFO', (file) => execFileSync('mkfifo', [file]), 'it is not a regular file'],
    ['a link to a device', (file) => symlinkSync('/dev/zero', file), 'it is not a regular file'],
    ['a folder', (file) => mkdirSync(file), 'it is a directory'],
    [
      'larger than 4 MiB',
      (file) => writeFileSync(file, Buffer.alloc(4 * 1024 * 1024 + 1, '#')),
      'it is larger than 4 MiB',
    ],
  ])('that is %s is refused at once', (_, make, reason) => {
    const file = join(directory, 'odd.yaml')
    make(file)
    const { value, problems } = readConfiguration('odd.yaml', { platforms }, directory)
    expect(value).toBeUndefined()
    expect(problems).toMatchObject([{ code: 'config/unreadable', message: `Cannot read the file ${file}: ${reason}.` }])
  })

  test.each<readonly [string, Buffer, string, string]>([
    [
      'a NUL character',
      Buffer.from('listen: 127.0.0.1:1\nhosts: [a\0]\n'),
      'it contains a NUL character in line 2',
      'Remove the character, or save the file as UTF-8.',
    ],
    ['other bytes than UTF-8', Buffer.from([0x61, 0xff]), 'it is not UTF-8 text', 'Save it as UTF-8.'],
    [
      'more than 4 MiB',
      Buffer.alloc(4 * 1024 * 1024 + 1, '#'),
      'it is larger than 4 MiB',
      'The limit is 4 MiB. Declare stacks by fleets, or through the API.',
    ],
  ])('a file with %s, and what to do', (_, bytes, reason, hint) => {
    const file = join(directory, 'odd.yaml')
    writeFileSync(file, bytes)
    const { problems } = readConfiguration('odd.yaml', { platforms }, directory)
    const message = `Cannot read the file ${file}: ${reason}.`
    expect(problems).toEqual([{ severity: 'error', code: 'config/unreadable', message, hint }])
  })

  test('an invalid --listen, together with the problems of the file', () => {
    writeFileSync(join(directory, 'gitmoor.yaml'), 'lisen: x')
    const { problems } = readConfiguration('gitmoor.yaml', { platforms, listen: 'nowhere' }, directory)
    expect(problems.map((problem) => problem.field)).toEqual(['--listen', 'lisen'])
  })

  test('any problem, without the value of a secret', () => {
    const text =
      'credentials: { x: { match: "https://me:s3cret1@h/", token: "s3cret2 ${env:", username: "s3cret3:" } }\nstacks: [{ name: a, sources: [{ url: "https://u:s3cret4@h/x" }], secrets: { a: s3cret5 } }]'
    expect(read(text).problems.length).toBe(5)
    expect(JSON.stringify(read(text).problems)).not.toContain('s3cret')
  })
})

describe('the environment', () => {
  test('is read with empty variables as absent', () => {
    vi.stubEnv('GITMOOR_URL', 'http://127.0.0.1:4470')
    vi.stubEnv('GITMOOR_TOKEN', '')
    vi.stubEnv('NO_COLOR', '1')
    expect(readEnvironment()).toEqual({
      data: undefined,
      url: 'http://127.0.0.1:4470',
      token: undefined,
      noColor: true,
      proxies: {},
      extraAuthorities: undefined,
      path: process.env['PATH'],
    })
  })

  test('has proxies in upper or lower case, and further authorities', () => {
    vi.stubEnv('HTTPS_PROXY', 'http://proxy.example:3128')
    vi.stubEnv('http_proxy', 'http://small.example')
    vi.stubEnv('no_proxy', '.example.org')
    vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ca.pem')
    expect(readEnvironment()).toMatchObject({
      proxies: { https: 'http://proxy.example:3128', http: 'http://small.example', none: '.example.org' },
      extraAuthorities: '/etc/ca.pem',
    })
  })

  test('names the stack of each problem of a stack', () => {
    const { problems } = read('stacks:\n  - { name: boards, sources: [{ url: https://git.example/a.git }], tarjet: x }')
    expect(problems).toMatchObject([{ code: 'config/unknown-key', stack: 'boards', place: { line: 2 } }])
  })

  test('and the file must not name two data directories', () => {
    vi.stubEnv('GITMOOR_DATA', '/in/environment')
    expect(read('listen: 127.0.0.1:2\ndata: /in/file').problems).toMatchObject([
      {
        severity: 'error',
        code: 'config/data-conflict',
        message: 'The data directory has two names: /in/file here, and /in/environment in GITMOOR_DATA.',
        place: { line: 2 },
        hint: 'Unset GITMOOR_DATA, remove `data` here, or choose one: --data /in/file',
      },
    ])
    expect(read('data: /in/environment/').problems).toEqual([])
  })

  test('has the data directory, after the option and before the file', () => {
    expect(dataDirectory(undefined)).toBe(resolve('.gitmoor'))
    expect(dataDirectory(undefined, '/in/file')).toBe('/in/file')
    vi.stubEnv('GITMOOR_DATA', '/in/environment')
    expect(dataDirectory(undefined, '/in/file')).toBe('/in/environment')
    expect(dataDirectory('/in/option', '/in/file')).toBe('/in/option')
    writeFileSync(join(directory, 'gitmoor.yaml'), 'data: /in/file\nlisten: h:1')
    const overrides = { platforms, data: 'given', listen: '127.0.0.1:2' }
    const { value, problems } = readConfiguration('gitmoor.yaml', overrides, directory)
    expect(problems).toMatchObject([{ severity: 'warning', code: 'config/data-overridden' }])
    expect(value).toMatchObject({ data: join(directory, 'given'), listen: { host: '127.0.0.1', port: 2 } })
  })
})
