import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

/** docs/design.md, "Folders": a room imports those before it, never one after it. */
const rooms =
  'lib model settings secrets sandbox source channel package expand graph plan status platform engine store views stacks channels notifications webhooks deployments variants agent config page api influxdb cli'.split(
    ' ',
  )

/** A folder of the model imports files beside these folders, and of the folders before it. */
const modelFolders = ['resources', 'sources', 'stacks', 'agent']

/** Rooms that decide and do not act: no I/O, no logging, no clock. */
const pureRooms = /^(package|expand|graph|plan|influxdb\/kinds)\//

/** Files at the top, outside the rooms. */
const topFiles =
  /^(main|offline-doctor|run-agent|open-agent|open-sync|agent-adapters|adapters|platforms|request-info\.d|web-streams\.d)\.ts$/

/** What implements a port; only adapters.ts names it. (A port that an adapter itself needs is a door.) */
const adapters = [
  /^influxdb\//,
  /^store\/[a-z]+\//,
  /^source\/(archive|git|url|directory|inline)\//,
  /^source\/sources\.ts$/,
  /^agent\/watch\/prometheus-meters\.ts$/,
]

/**
 * Doors beside `room/room.ts`, `room/family/family.ts` and the nouns of the model. One more is a decision, made in
 * review.
 */
const doors = Object.entries({
  settings: [
    'bounded-file',
    'schema/checked-text',
    'did-you-mean',
    'documents/fleet-document',
    'follow-text',
    'is-running',
    'documents/inputs-document',
    'schema/interval',
    'schema/json-schema',
    'labels',
    'schema/read-yaml',
    'schedule',
    'schema/schema-problems',
    'source-address',
    'documents/source-document',
    'documents/stack-document',
    'schema/strict-object',
    'sync-windows',
    'setting-answers',
    'setting-forms',
    'stack-settings',
  ],
  secrets: [
    'credential',
    'keyring',
    'redact/redact-facts',
    'resolve-value',
    'signing-keys',
    'ssh-login',
    'ssh-public-key',
    'ssh-reader',
  ],
  sandbox: ['jsonnet/jsonnet-imports', 'jsonnet/jsonnet-sandbox', 'sync-thread', 'worker-thread'],
  source: [
    'allowed-directory',
    'blob-id',
    'found-ref',
    'network/connection',
    'network/parse-network',
    'network/proxy',
    'network/whole-request',
    'pushed-packages',
    'ref-tips',
    'remote-packages',
    'repository-identity',
    'unchecked-remote',
  ],
  channel: ['blocked-move', 'channel-policy', 'decide-channel'],
  package: ['evaluated-files', 'package-files', 'parse-error', 'json-text', 'large-file', 'print-package', 'yaml-text'],
  plan: [
    'any-order',
    'approval-rules',
    'compare-declared',
    'counts',
    'drift',
    'desired-state',
    'diff',
    'digest',
    'ignored',
    'order',
    'own-updates',
    'protected',
    'unhealthy',
  ],
  status: [
    'approval-steps',
    'axes',
    'blockers',
    'failure-blockers',
    'conditions',
    'dependency',
    'run-blockers',
    'run-warnings',
    'unreadable-inputs',
    'wait-refusal',
  ],
  platform: ['call-driver', 'documents', 'labelled-resources', 'platform-means', 'register-platforms'],
  engine: ['journal', 'observe'],
  store: [
    'copies',
    'database-event-table',
    'feed',
    'file-table',
    'message-table',
    'ownership-table',
    'run-table',
    'session-table',
    'stack-table',
  ],
  stacks: [
    'changes/push-package',
    'changes/update-stack',
    'context',
    'discover/stack-names',
    'discover/unmanaged',
    'fleets/every-fleet',
    'fleets/keep-fleet',
    'fleets/list-fleet',
    'load-package/read-declared',
    'load-package/remotes',
    'overview/matrix',
    'overview/watch-digests',
    'ownership/adopt-resources',
    'paging',
    'queries/channel-facts',
    'queries/commit-links',
    'queries/configuration',
    'queries/declared-targets',
    'queries/find-channel',
    'queries/run-events',
    'queries/view-channel',
    'queries/view-stack',
    'queries/watch-events',
    'resources/override-windows',
    'runs/await-run',
    'runs/request-run',
    'runs/request-syncs',
    'runs/suspended',
    'runs/wait-for-stack',
    'status/status-input',
    'export/export-request',
    'inputs/gather-package',
    'inputs/missing-inputs',
    'inputs/pushed-package',
    'pins/vetoes',
    'plans/check-awaiting',
    'plans/check-drift',
    'plans/compare-runs',
    'plans/plan-stack',
    'plans/preview',
    'scheduler',
    'settings-digest',
    'stack-tag',
    'status/dependencies',
    'status/metrics',
    'sync',
    'targets',
  ],
  channels: ['decide-channels', 'list-commits', 'preview-decisions', 'promote-tag', 'promotion-plans'],
  notifications: ['message-text', 'notifier', 'receiver', 'template'],
  webhooks: ['call-use-case', 'hook-secrets', 'receive-delivery', 'webhook'],
  api: [
    'api-extension',
    'error-answer',
    'request-context',
    'session/sessions',
    'server/bounded-body',
    'server/json-answer',
    'server/json-limits',
    'v1/endpoint',
  ],
}).flatMap(([room, names]) => names.map((name) => `${room}/${name}.ts`))

interface Import {
  readonly from: string
  readonly to: string
}

const files = filesBelow('src')
const code = new Map(files.map((file) => [file, withoutComments(readFileSync(join('src', file), 'utf8'))]))
const imports = files.flatMap((from) => importsOf(from))
const inside = imports.filter(({ to }) => code.has(to))
const betweenRooms = inside.filter(({ from, to }) => isRoomFile(from) && isRoomFile(to) && roomOf(from) !== roomOf(to))

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
}

function commentsOf(text: string): readonly string[] {
  return text.match(/\/\*[^]*?\*\/|(?<=^|[\s;{(,])\/\/.*$/gm) ?? []
}

/**
 * Sections and decisions: `packages 1.13`, `engine 3`, `(4.2)`, `D35`, `design: Retry`. A page that a reader cannot
 * open explains nothing: a comment states the rule, or names the page under docs/ that does.
 */
const sectionNumbers = [
  /\b(packages?|engine|graphs?|variants?|deployments?|templates?|sections?) (\d+\.\d|D\d)/i,
  /\b(packages|engine|templates|sections?) \d+\b/i,
  /[(,] ?\d{1,2}\.\d{1,2}[),]/,
  /\bD\d{1,2}\b|§|\bdesign: [A-Z]/,
]

/** Standards that anyone can read may be referred to by section: `RFC 3986, 2.3`. */
const published = /\b(RFC \d+|YAML \d[\d.]*), ?[\d.]+/g

function hasSectionNumber(comment: string): boolean {
  const unpublished = comment.replace(published, '')
  return sectionNumbers.some((pattern) => pattern.test(unpublished))
}

const mostColumns = 120

/** Lines over 120 columns that are a comment, or end in one. The formatter does not break them. */
function longCommentLines(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.length > mostColumns && /^\s*(\/\/|\/\*|\* )|\s\/\/ [^'"`]*$/.test(line))
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, '').replace(/(^|[\s;{(,])\/\/.*$/gm, '$1')
}

/** Static, side-effect and dynamic imports and re-exports, types among them; relative ones as paths below src. */
function importsOf(from: string): readonly Import[] {
  const statements = /\bfrom\s*'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g
  return [...code.get(from)!.matchAll(statements)].map(([, named, bare]) => ({
    from,
    to: pathOf(from, named ?? bare!),
  }))
}

function pathOf(from: string, specifier: string): string {
  return specifier.startsWith('.')
    ? normalize(join(dirname(from), specifier))
        .replaceAll('\\', '/')
        .replace(/\.js$/, '.ts')
    : specifier
}

function isRoomFile(file: string): boolean {
  return file.includes('/')
}

function roomOf(file: string): string {
  return file.slice(0, file.indexOf('/'))
}

function isDoor(file: string): boolean {
  const parts = file.split('/')
  return (
    parts[0] === 'model' ||
    parts[0] === 'views' ||
    parts[0] === 'lib' ||
    doors.includes(file) ||
    parts.at(-1) === `${parts.at(-2)}.ts`
  )
}

function lines(found: readonly Import[]): readonly string[] {
  return found.map(({ from, to }) => `${from} imports ${to}`)
}

/** Headings of a page, as links name them. */
function headingsOf(page: string): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}

/** Files whose code has the pattern. */
function filesWith(pattern: RegExp, among: readonly string[]): readonly string[] {
  return among.filter((file) => pattern.test(code.get(file)!))
}

function findCycle(): readonly string[] {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const { to } of inside.filter(({ from }) => from === file)) {
      const cycle = visit(to, [...path, file])
      if (cycle.length > 0) return cycle
    }
    done.add(file)
    return []
  }
  return files.map((file) => visit(file, [])).find((cycle) => cycle.length > 0) ?? []
}

describe('the rooms', () => {
  test('are those of the design, and contain all code except wiring and configuration', () => {
    expect(files.filter((file) => (isRoomFile(file) ? !rooms.includes(roomOf(file)) : !topFiles.test(file)))).toEqual(
      [],
    )
  })

  test('are found with their imports', () => {
    expect(files.length).toBeGreaterThan(20)
    expect(betweenRooms.length).toBeGreaterThan(20)
    expect(
      imports.filter(({ from, to }) => to.endsWith('.js') || (to.includes('/') && to.startsWith('.')) || from === to),
    ).toEqual([])
  })

  test('import only those before them', () => {
    expect(
      lines(betweenRooms.filter(({ from, to }) => rooms.indexOf(roomOf(to)) > rooms.indexOf(roomOf(from)))),
    ).toEqual([])
  })

  test('are entered by their doors', () => {
    expect(lines(betweenRooms.filter(({ to }) => !isDoor(to)))).toEqual([])
  })

  test('do not import wiring or configuration', () => {
    expect(lines(inside.filter(({ from, to }) => isRoomFile(from) && !isRoomFile(to)))).toEqual([])
  })

  test('have no doors that are not there', () => {
    expect(doors.filter((door) => !code.has(door))).toEqual([])
  })

  test('of nouns, in the model, import only those before them', () => {
    const place = (file: string): number => modelFolders.indexOf(file.split('/')[1]!)
    const nouns = inside.filter(({ from, to }) => roomOf(from) === 'model' && roomOf(to) === 'model')
    expect(nouns.length).toBeGreaterThan(20)
    expect(lines(nouns.filter(({ from, to }) => place(to) > place(from)))).toEqual([])
  })

  test('import nothing from the model outwards, but what versions are', () => {
    expect(
      lines(
        imports.filter(
          ({ from, to }) => ['lib', 'model'].includes(roomOf(from)) && !/^(lib|model)\//.test(to) && to !== 'semver',
        ),
      ),
    ).toEqual([])
  })
})

describe('imports', () => {
  test('go round in no cycle', () => {
    expect(findCycle()).toEqual([])
  })

  test('name adapters only in adapters.ts, in platforms.ts and among an adapter’s own files', () => {
    const named = inside.filter(({ from, to }) => {
      const adapter = doors.includes(to) ? undefined : adapters.find((pattern) => pattern.test(to))
      return adapter !== undefined && !adapter.test(from) && from !== 'adapters.ts' && from !== 'platforms.ts'
    })
    expect(lines(named)).toEqual([])
  })
})

/**
 * What InfluxDB alone has. Everything else learns of it through the ports that adapters implement, so without this
 * folder, and without its lines in adapters.ts and platforms.ts, the rest compiles.
 */
const influxdb = /^influxdb\//

/** InfluxDB, its kinds by name, its template stacks and organisations. Comments count. */
const influxdbWords =
  /[Ii]nflux|[Tt]emplate ?[Ss]tack|'(?:Bucket|Check(?:Deadman|Threshold)|Dashboard|Label(?:Mapping)?|Notification(?:Endpoint|Rule)\w*|Secret|Telegraf)'|\b(?:organi[sz]ation|orgI[dD])\b/g

/** How often files name them. */
const influxdbNames: Readonly<Record<string, number>> = {
  'adapters.ts': 4,
  'platforms.ts': 1,
  // The label of a field in the web pages of Git hosts.
  'cli/text/webhook-text.ts': 5,
}

describe('InfluxDB', () => {
  const named = inside.filter(({ from, to }) => influxdb.test(to) && !influxdb.test(from))

  test('is imported by adapters.ts and platforms.ts, and by nothing else', () => {
    expect(lines(named)).toEqual([
      'adapters.ts imports influxdb/influxdb.ts',
      'platforms.ts imports influxdb/described.ts',
    ])
  })

  test('is named by no other file than these, and no more often', () => {
    const counts = files
      .filter((file) => !influxdb.test(file))
      .map((file) => [file, readFileSync(join('src', file), 'utf8').match(influxdbWords)?.length ?? 0] as const)
    expect(Object.fromEntries(counts.filter(([, count]) => count > 0))).toEqual(influxdbNames)
  })
})

describe('the pure rooms', () => {
  const pure = files.filter((file) => pureRooms.test(file))

  test('do no I/O and write no log', () => {
    const outside =
      /^(node:(fs|http|https|http2|net|tls|dgram|dns|child_process|worker_threads|os|timers|readline)(\/.*)?|pino|undici|hono|better-sqlite3|kysely)$/
    expect(lines(imports.filter(({ from, to }) => pure.includes(from) && outside.test(to)))).toEqual([])
    expect(filesWith(/\bconsole\.|\bprocess\.|\bfetch\(/, pure)).toEqual([])
  })

  test('ask no clock and throw no dice', () => {
    expect(
      filesWith(
        /\bDate\.now\b|\bnew Date\(\)|\bperformance\.|\bset(Timeout|Interval|Immediate)\(|\bMath\.random\b|\brandom(Bytes|UUID|Int)\b/,
        pure,
      ),
    ).toEqual([])
  })
})

const mostLines = 300

describe('source files', () => {
  test(`of src/ and web/ have at most ${mostLines} lines`, () => {
    const sources = ['src', 'web'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(tsx?|css)$/.test(file))
        .map((file) => join(folder, file)),
    )
    for (const suffix of ['.ts', '.tsx', '.css'])
      expect(sources.filter((file) => file.endsWith(suffix)).length).toBeGreaterThan(10)
    const lineCount = (file: string): number => readFileSync(file, 'utf8').trimEnd().split('\n').length
    expect(sources.filter((file) => lineCount(file) > mostLines)).toEqual([])
  })
})

describe('a timeout', () => {
  test('is made by abortAfter, so that the garbage collector does not remove it', () => {
    expect(filesWith(/\bAbortSignal\.timeout\(/, files)).toEqual([])
  })
})

describe('exported types', () => {
  test('share no name', () => {
    const names = files.flatMap((file) =>
      [...code.get(file)!.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(
        ([, name]) => [name!, file] as const,
      ),
    )
    expect(names.length).toBeGreaterThan(500)
    const shared = names.filter(([name, file]) => names.some(([other, place]) => other === name && place !== file))
    expect(shared.map((one) => one.join(' in '))).toEqual([])
  })
})

describe('the environment', () => {
  test('is read in config/environment.ts and nowhere else', () => {
    expect(
      filesWith(/\bprocess\.env\b|\bprocess\['env'\]|import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*'node:process'/, files),
    ).toEqual(['config/environment.ts'])
  })
})

describe('comments', () => {
  test('refer to no section or decision of a page that is not in the repository', () => {
    const tests = filesBelow('test').filter((file) => file !== 'architecture.test.ts')
    const all = [...files.map((file) => join('src', file)), ...tests.map((file) => join('test', file))]
    const found = all.flatMap((file) =>
      commentsOf(readFileSync(file, 'utf8'))
        .filter(hasSectionNumber)
        .map((comment) => `${file}: ${comment}`),
    )
    expect(found).toEqual([])
  })

  test('name existing pages and headings of docs/', () => {
    const named = files.flatMap((file) => [
      ...readFileSync(join('src', file), 'utf8').matchAll(/\b(docs\/[\w/-]+\.md)(?:#([a-z0-9-]+))?/g),
    ])
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter(([, page]) => !existsSync(page!)).map(([link]) => link)).toEqual([])
    const broken = named.filter(([, page, heading]) => heading !== undefined && !headingsOf(page!).includes(heading))
    expect(broken.map(([link]) => link)).toEqual([])
  })

  test('end by column 120', () => {
    const found = ['src', 'web', 'scripts', 'bench', 'test'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.m?[jt]sx?$/.test(file))
        .flatMap((file) =>
          longCommentLines(readFileSync(join(folder, file), 'utf8')).map((line) => `${file}: ${line}`),
        ),
    )
    expect(found).toEqual([])
  })

  test.each([
    [`// ${'a'.repeat(118)}`, 1],
    [`// ${'a'.repeat(117)}`, 0],
    [`/** ${'a'.repeat(118)} */`, 1],
    [`/**\n * ${'a'.repeat(118)}\n */`, 1],
    [`f('${'a'.repeat(110)}') // why`, 1],
    [`f('https://example.test/ // ${'a'.repeat(110)}')`, 0],
  ])('over 120 columns in %j: %s', (text, count) => {
    expect(longCommentLines(text)).toHaveLength(count)
  })

  test.each([
    ['/** Once per key (packages 1.13). */', true],
    ['/** Packages 4.2, 4.3. */', true],
    ['/** Unique (1.2, D3). */', true],
    ['const a = 1 // engine 3', true],
    ['// the last apply wins (packages D37)', true],
    ['// doubling to 10 min (design: Retry)', true],
    ['// as RFC 3986, 2.3 has it; YAML 1.2, 8.1.1.2 differs', false],
    ['// 2 packages; version 2.9 answers in 1.5 s', false],
    ["const a = '(1.2)'", false],
  ])('of %j refer to one: %s', (text, expected) => {
    expect(commentsOf(text).some(hasSectionNumber)).toBe(expected)
  })
})

/** Words that people do not search for: docs and code say poll, report, in progress, repair, people, is. */
const privateWords = new RegExp(
  [
    /\b(is|are|was|were|be|been) (looked (at|for|through)|told|had)\b/,
    /\b(stands?|tells?|in hand|mend(s|ed|ing)?|whoever|persons)\b/,
    /\b(suppl(y|ies|ied|ying)|sightings?|happenings?|unseen|wish(es)?|timekeeper)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

describe('ids and cursors', () => {
  test('are opaque outside the store: nothing computes with them', () => {
    const computed = /\b(Number|BigInt|parseInt)\(([\w?!]+\.)*(id|run|move|after|cursor)[!?]?( |\)|,)/
    const found = [...code].flatMap(([file, text]) =>
      file.startsWith('store/')
        ? []
        : text.split('\n').flatMap((line) => (computed.test(line) ? [`${file}: ${line.trim()}`] : [])),
    )
    expect(found).toEqual([])
    expect(computed.test('const next = Number(this.inProgress?.id ?? run.id)')).toBe(true)
  })
})

describe('words', () => {
  test.each([
    ['the remote is looked at every 60 s', true],
    ['what is in hand ends', true],
    ['a supplied value', true],
    ['The remote is polled every 60 s.', false],
  ])('of %j are private: %s', (text, expected) => {
    expect(privateWords.test(text)).toBe(expected)
  })

  test('of code, tests, docs and the example configuration are those of the field', () => {
    // Names of files and values that older versions wrote, words of OpenSSL, and the list above.
    const allowed = new Set([
      'src/store/sqlite/repair/repair.ts',
      'src/store/sqlite/tables/migrations.ts',
      'src/stacks/inputs/inputs-file.ts',
      'test/certificates.ts',
      'test/store/repair.test.ts',
      'test/architecture.test.ts',
    ])
    const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join('docs', file))
    const tests = filesBelow('test').map((file) => join('test', file))
    const all = [...files.map((file) => join('src', file)), ...tests, ...docs, 'README.md', 'config/gitmoor.yaml']
    const found = all
      .filter((file) => !allowed.has(file.replaceAll('\\', '/')))
      .flatMap((file) =>
        readFileSync(file, 'utf8')
          .split('\n')
          .flatMap((line, at) => (privateWords.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
      )
    expect(found).toEqual([])
  })
})

/** A value in single quotes in a text: '${name}', or quoted words in a string or before a word of a template. */
const singleQuotes = new RegExp(
  [
    /'\$\{[^'\n]*\}'(?=[ .;:]|`)/,
    /(?:^|[\s([:?,])"[^"'$\n]*'(?!none')[^"'$\n]+'[^"\n]*"/,
    /`[^`?\n]* '[^'`?$\n]*'(?: [a-z]|\.`)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

describe('quotes in messages', () => {
  test.each([
    ["`The path '${path}' leaves the repository.`", true],
    ["`There is no '${showText(path)}'.`", true],
    [`"begins with '-'"`, true],
    ["`${folders} at its top: '*' needs exactly one.`", true],
    ['`The path "${path}" leaves the repository.`', false],
    ["`allow: {path: '${path}', owner: 1}`", false],
    ["`${count} ${count === 1 ? 'stack' : 'stacks'} of it`", false],
    [`"gitmoor's own data directory"`, false],
  ])('of %j are single: %s', (text, expected) => {
    expect(singleQuotes.test(text)).toBe(expected)
  })

  test('are double', () => {
    const found = [...code].flatMap(([file, text]) =>
      // SQL quotes its texts so.
      file.startsWith('store/sqlite/') ? [] : text.split('\n').filter((line) => singleQuotes.test(line)),
    )
    expect(found).toEqual([])
  })
})

describe('what a test of this file would miss', () => {
  test.each([
    ["import { a } from './a.js'", ['x/a.ts']],
    ["import type { A } from '../y/a.js'", ['y/a.ts']],
    ["export { a,\n b } from '../y/a.js'", ['y/a.ts']],
    ["import './a.js'", ['x/a.ts']],
    ["const a = await import('./a.js')", ['x/a.ts']],
    ["// import { a } from './a.js'", []],
    ["/* import { a } from './a.js' */", []],
  ])('is not %j', (text, expected) => {
    code.set('x/probe.ts', withoutComments(text))
    expect(importsOf('x/probe.ts').map(({ to }) => to)).toEqual(expected)
    code.delete('x/probe.ts')
  })
})
