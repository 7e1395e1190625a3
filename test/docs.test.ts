// What the documents for people promise is there: links, commands, scripts, fields.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { planSchema } from '../src/views/plan.js'
import { runSchema } from '../src/views/run.js'
import { stackSchema } from '../src/views/stack.js'
import { declareWith } from '../src/cli/invocation.js'
import { buildProgram } from '../src/cli/program.js'
import { readConfiguration } from '../src/config/config.js'

const told = ['scripts/what-to-try.mjs', 'fixtures/demo/1-first/README.md']
const pages = ['README.md', 'CHANGELOG.md', ...readdirSync('docs').map((name) => join('docs', name))].filter((name) =>
  name.endsWith('.md'),
)
const textOf = (file: string): string => readFileSync(file, 'utf8')

/** What follows `gitmoor` in spans of code, and in lines of blocks of code, also behind `docker exec`. */
function commandsIn(file: string): readonly string[] {
  const text = textOf(file)
  const spans = text.matchAll(/`(?:npx )?gitmoor ([a-z-][^`\n]*)`/g)
  const lines = text.matchAll(/^ *(?:docker exec \S+ |npx )gitmoor ([a-z-].*?)(?: {2,}.*)?$/gm)
  return [...spans, ...lines].map((match) => match[1]!.trim())
}

/** Words as a shell splits them, quotes taken away. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/["']/g, ''))
}

async function parse(line: string): Promise<void> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() }
  const argv = wordsOf(line)
  const program = await buildProgram(argv, { version: '0', ...streams, declare: declareWith(() => Promise.resolve()) })
  await program.parseAsync([...argv], { from: 'user' })
}

const commands = [...new Set([...pages, ...told].flatMap(commandsIn))]

/** Codes of problems and errors that stand in the program: `room/what`. */
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
]
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => textOf(join('src', file)))
const given = new Set(
  sources.flatMap((text) =>
    [...text.matchAll(new RegExp(`['"\`](${code.source})['"\`]`, 'g'))].map((match) => match[1]!),
  ),
)

describe('a command line in the documents', () => {
  test('is found at all', () => {
    expect(commands).toContain('plan demo --ref main')
    expect(commands.length).toBeGreaterThan(20)
  })

  test.each(commands)('is one that the command line takes: gitmoor %s', async (line) => {
    await expect(parse(line)).resolves.toBeUndefined()
  })

  test('that does not exist would be noticed', async () => {
    await expect(parse('plan demo --rev main')).rejects.toThrow("unknown option '--rev'")
    await expect(parse('stack make demo')).rejects.toThrow("unknown command 'make'")
  })
})

describe.each(pages)('%s', (page) => {
  test('links only to what is there', () => {
    const links = [...textOf(page).matchAll(/\]\(([^)#]+)[^)]*\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !/^https?:/.test(link))
    expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([])
  })

  test('names only npm scripts that there are', () => {
    const known = Object.keys((JSON.parse(textOf('package.json')) as { readonly scripts: object }).scripts)
    const named = [...textOf(page).matchAll(/\bnpm (?:run )?(start|test|(?<=run )[a-z:]+)\b/g)].map(
      (match) => match[1]!,
    )
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })

  test('names only source files that there are', () => {
    const files = [...textOf(page).matchAll(/`((?:src|test|scripts|config|fixtures)\/[\w./-]+)`/g)].map(
      (match) => match[1]!,
    )
    expect(files.filter((file) => !existsSync(file) && !given.has(file))).toEqual([])
  })
})

describe('docs/troubleshooting.md', () => {
  const listed = new Set(
    [...textOf('docs/troubleshooting.md').matchAll(new RegExp(`\`(${code.source})\``, 'g'))].map((match) => match[1]!),
  )
  test('tells of every code that the program gives', () => {
    const codes = [...given].filter((one) => rooms.includes(one.split('/')[0]!))
    expect(codes.length).toBeGreaterThan(100)
    expect(codes.filter((one) => !listed.has(one))).toEqual([])
  })

  test('tells of no code that the program does not give', () => {
    const words = (one: string): boolean => sources.some((text) => text.includes(`'${one.split('/')[1]}'`))
    expect([...listed].filter((one) => !given.has(one) && !words(one))).toEqual([])
  })
})

test('every page is reached from the README or from a page that is', () => {
  const linked = (page: string): readonly string[] =>
    [...textOf(page).matchAll(/\]\(([^)#:]+\.md)[^)]*\)/g)].map((match) => join(dirname(page), match[1]!))
  const reached = new Set(['README.md'])
  for (const page of reached) for (const next of linked(page)) reached.add(next)
  expect(pages.filter((page) => !reached.has(page))).toEqual([])
})

test.each(pages)('%s links to headings that are there', (page) => {
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
  expect(readConfiguration('config/gitmoor.yaml').problems).toEqual([])
})

describe('docs/json.md', () => {
  const schemas = { Stack: stackSchema, Run: runSchema, Plan: planSchema }
  test.each(Object.entries(schemas))('lists the fields of %s, and no others', (name, schema) => {
    const listed = new RegExp(`## ${name}\n\n\`([^\`]+)\``).exec(textOf('docs/json.md'))?.[1]?.split(' ') ?? []
    expect([...listed].sort()).toEqual(Object.keys(schema.shape).sort())
  })
})
