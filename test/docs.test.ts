// The documentation is true: links, commands, options, scripts, error codes, settings and fields exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { planSchema } from '../src/views/plan.js'
import { runSchema } from '../src/views/run.js'
import { stackSchema } from '../src/views/stack.js'
import { configurationKeys, readConfiguration } from '../src/config/config.js'
import { stackDocument } from '../src/settings/documents/stack-document.js'
import { openDoor } from './api/request-api.js'
import { everyCommand, parseCommand } from './cli/parse-command.js'
import { platforms } from '../src/platforms.js'

const others = ['scripts/what-to-try.mjs', 'fixtures/demo/1-first/README.md']
const pages = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
].filter((name) => name.endsWith('.md'))
const textOf = (file: string): string => readFileSync(file, 'utf8')

/** What follows `gitmoor` in code spans, and in lines of shell blocks, also behind `docker exec`. */
function commandsIn(file: string): readonly string[] {
  const text = textOf(file)
  const spans = text.matchAll(/`(?:\.\/)?gitmoor ([a-z-][^`\n]*)`/g)
  const lines = [...text.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].flatMap(([, block]) => [
    ...block!.matchAll(/^ *(?:docker exec \S+ |\.\/)?gitmoor ([a-z-].*?)(?: {2,}.*| > \S+)?$/gm),
  ])
  return [...spans, ...lines].map((match) => match[1]!.trim())
}

const commands = [...new Set([...pages, ...others].flatMap(commandsIn))]

/** Codes of problems and errors in the program: `room/what`. */
const code = /[a-z]+\/[a-z][a-z0-9-]+/
const rooms = [
  'source',
  'sandbox',
  'package',
  'graph',
  'plan',
  'engine',
  'store',
  'stacks',
  'agent',
  'data',
  'config',
  'platform',
  'secrets',
  'kinds',
  'api',
  'cli',
  'fleets',
  'runs',
  'resources',
  'channels',
  'webhooks',
]
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => textOf(join('src', file)))
const given = new Set(
  sources.flatMap((text) =>
    [...text.matchAll(new RegExp(`['"\`](${code.source})['"\`]`, 'g'))].map((match) => match[1]!),
  ),
)

describe('a command in the documentation', () => {
  test('is found', () => {
    expect(commands).toContain('plan demo --ref main')
    expect(commands.length).toBeGreaterThan(20)
  })

  test.each(commands)('is valid: gitmoor %s', async (line) => {
    await expect(parseCommand(line)).resolves.toBeUndefined()
  })

  test('is refused if it does not exist', async () => {
    await expect(parseCommand('plan demo --rev main')).rejects.toThrow("unknown option '--rev'")
    await expect(parseCommand('stack make demo')).rejects.toThrow("unknown command 'make'")
  })
})

describe.each(pages)('%s', (page) => {
  test('links only to existing pages', () => {
    const links = [...textOf(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !/^https?:/.test(link))
    expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([])
  })

  test('names only existing npm scripts', () => {
    const known = Object.keys((JSON.parse(textOf('package.json')) as { readonly scripts: object }).scripts)
    const named = [...textOf(page).matchAll(/\bnpm (?:run )?(start|test|(?<=run )[a-z:]+)\b/g)].map(
      (match) => match[1]!,
    )
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })

  test('names only existing source files', () => {
    const files = [...textOf(page).matchAll(/`((?:src|test|scripts|config|fixtures)\/[\w./-]+)`/g)].map(
      (match) => match[1]!,
    )
    expect(files.filter((file) => !existsSync(file) && !given.has(file))).toEqual([])
  })
})

test('docs/testing.md names every npm script', () => {
  const scripts = Object.keys((JSON.parse(textOf('package.json')) as { readonly scripts: object }).scripts)
  const named = new Set(textOf('docs/testing.md').match(/(?<=`(?:npm (?:run )?)?)[a-z:-]+/g))
  expect(scripts.filter((script) => !named.has(script))).toEqual([])
})

describe('docs/reference/error-codes.md', () => {
  const listed = new Set(
    [...textOf('docs/reference/error-codes.md').matchAll(new RegExp(`\`(${code.source})\``, 'g'))].map(
      (match) => match[1]!,
    ),
  )
  test('lists every code of the program', () => {
    const codes = [...given].filter((one) => rooms.includes(one.split('/')[0]!))
    expect(codes.length).toBeGreaterThan(100)
    expect(codes.filter((one) => !listed.has(one))).toEqual([])
  })

  test('lists no other codes', () => {
    const words = (one: string): boolean => sources.some((text) => text.includes(`'${one.split('/')[1]}'`))
    expect([...listed].filter((one) => !given.has(one) && !words(one))).toEqual([])
  })
})

test('every page is reachable from the README', () => {
  const linked = (page: string): readonly string[] =>
    [...textOf(page).matchAll(/\]\(([^)#:]+\.md)[^)]*\)/g)].map((match) => join(dirname(page), match[1]!))
  const reached = new Set(['README.md'])
  for (const page of reached) for (const next of linked(page)) reached.add(next)
  expect(pages.filter((page) => !reached.has(page))).toEqual([])
})

test.each(pages)('%s links to existing headings', (page) => {
  const anchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .trim()
      .replaceAll(' ', '-')
  const broken = [...textOf(page).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)].filter(([, file, to]) => {
    const headings = textOf(file === '' ? page : join(dirname(page), file!)).matchAll(/^#+ (.*)$/gm)
    return ![...headings].some(([, heading]) => anchor(heading!) === to)
  })
  expect(broken.map(([link]) => link)).toEqual([])
})

test('the version of the package has a section in the change log', () => {
  const { version } = JSON.parse(textOf('package.json')) as { readonly version: string }
  expect(textOf('CHANGELOG.md')).toContain(`## [${version}]`)
})

test('the configuration that npm start uses has no problem', () => {
  expect(readConfiguration('config/gitmoor.yaml', { platforms }).problems).toEqual([])
})

describe('docs/reference/json.md', () => {
  test('lists every command but those that print no data', async () => {
    const listed = [...textOf('docs/reference/json.md').matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
    )
    const commands = [...(await everyCommand()).keys()].filter((name) => !['agent', 'completion'].includes(name))
    expect(commands.filter((name) => !listed.includes(name))).toEqual([])
  })

  const schemas = { Stack: stackSchema, Run: runSchema, Plan: planSchema }
  test.each(Object.entries(schemas))('lists the fields of %s, and no others', (name, schema) => {
    const listed =
      new RegExp(`## ${name}\n\n\`([^\`]+)\``).exec(textOf('docs/reference/json.md'))?.[1]?.split(/\s+/) ?? []
    expect([...listed].sort()).toEqual(Object.keys(schema.shape).sort())
  })
})

test.each(pages)('%s has no line of more than 120 characters', (page) => {
  expect(textOf(page).match(/^.{121,}$/gmu) ?? []).toEqual([])
})

describe('docs/reference/cli.md', () => {
  /** Headings with the text below them, by the command they name: `stack create`. */
  const sections = new Map(
    textOf('docs/reference/cli.md')
      .split(/^###? /m)
      .map((section) => [section.slice(0, section.indexOf('\n')).replace(/ [[A-Z].*$/, ''), section]),
  )
  /** Options that several commands share. */
  const shared = sections.get('Override a sync window')!
  const tablesFor = (name: string): readonly string[] =>
    name === 'import' ? [shared, sections.get('stack create')!] : [shared]

  test('lists every command with its options, and no others', async () => {
    const commands = await everyCommand()
    const documented = [...sections.keys()].filter((name) => /^[a-z]/.test(name))
    expect(documented.sort()).toEqual([...commands.keys()].sort())
    const missing = [...commands].flatMap(([name, { options }]) =>
      options
        .map(({ long }) => long!)
        .filter((option) => ![sections.get(name)!, ...tablesFor(name)].some((text) => text.includes(`\`${option}\``)))
        .map((option) => `${name} ${option}`),
    )
    expect(missing.filter((option) => !option.startsWith('stack set '))).toEqual([])
  })
})

describe('the reference of settings', () => {
  const keysIn = (page: string): readonly string[] =>
    [...textOf(page).matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([a-zA-Z]+)/g)].map((match) => match[1]!),
    )

  test('docs/reference/configuration.md lists every key of the configuration file', () => {
    const listed = new Set(keysIn('docs/reference/configuration.md'))
    expect(configurationKeys.filter((key) => !listed.has(key))).toEqual([])
  })

  test('docs/reference/stack.md lists every key of a stack document', () => {
    const listed = new Set(keysIn('docs/reference/stack.md'))
    expect(Object.keys(stackDocument.shape).filter((key) => !listed.has(key))).toEqual([])
  })
})

describe('docs/reference/api.md', () => {
  test('names every route by its last word', async () => {
    const { body } = await openDoor().request('GET', '/api/v1/openapi.json')
    const paths = Object.keys(body.paths as object)
    const listed = textOf('docs/reference/api.md')
    const lastWord = (path: string): string => path.split('/').findLast((part) => !part.startsWith('{'))!
    expect(paths.length).toBeGreaterThan(30)
    expect(paths.filter((path) => !listed.includes(`/${lastWord(path)}`))).toEqual([])
  })
})

test('docs/testing.md names existing tests', () => {
  const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  const [, table] = /\| Failure \| Tested by \|\n([^]*?)\n\n/.exec(textOf('docs/testing.md'))!
  const named = [...table!.matchAll(/`([a-z0-9-]+\/[a-z0-9/-]+)`/g)].map((match) => match[1]!)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !tests.some((file) => file.startsWith(`${name}.`)))).toEqual([])
})
