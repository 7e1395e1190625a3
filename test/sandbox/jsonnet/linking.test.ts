// Linking works in this process: what is made to take it long is linked in one pass, or refused.
import { describe, expect, test } from 'vitest'
import { linkBounds } from '../../../src/sandbox/jsonnet/jsonnet-units.js'
import { linkJsonnet, type LinkedJsonnet } from '../../../src/sandbox/jsonnet/link-jsonnet.js'
import { JsonnetSandbox } from '../../../src/sandbox/jsonnet/jsonnet-sandbox.js'
import { never } from '../../source/git-world.js'
import { describeWithJsonnet } from '../with-jsonnet.js'

const link = (files: Readonly<Record<string, string>>): LinkedJsonnet => linkJsonnet(new Map(Object.entries(files)))
const codesOf = ({ problems }: LinkedJsonnet): readonly string[] =>
  problems.map(({ file, line, code }) => `${file}:${line} ${code}`)
const many = (count: number, file: (at: number) => readonly [string, string]): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => file(at)))

/** Each entry needs the whole chain. */
const entriesOnChain = (count: number): Readonly<Record<string, string>> => ({
  ...many(count, (at) => [`${at}.jsonnet`, "import '0.libsonnet'"]),
  ...many(count, (at) => [`${at}.libsonnet`, at === count - 1 ? '1' : `import '${at + 1}.libsonnet'`]),
})

describe('the names of variables', () => {
  test('stay short for any texts', () => {
    const { bindings, problems } = link({
      'a.jsonnet': `1 // file_${'_'.repeat(3_000_000)}`,
      'b.jsonnet': `2 // file_${'0'.repeat(500_000)}_`,
    })
    expect(problems).toEqual([])
    expect(bindings.map(({ code }) => code)).toEqual(['file_0_0 = (\n1 \n)', 'file_0_1 = (\n2 \n)'])
  })

  test('are known to no text', () => {
    const used = Array.from({ length: 100_000 }, (_, at) => `file_${at}_`).join(' ')
    expect(link({ 'a.jsonnet': `1 // ${used}` }).bindings[0]!.code).toBe('file_100000_0 = (\n1 \n)')
  })
})

describeWithJsonnet('a text that holds the name of a variable', () => {
  test('has a variable of its own', async () => {
    const files = {
      'a.jsonnet': "local file_0_0 = 1, file_0_1 = 2; [file_0_0, file_0_1, import 'b.libsonnet']",
      'b.libsonnet': '3',
    }
    const { texts, problems } = await new JsonnetSandbox().jsonnet(new Map(Object.entries(files)), never)
    expect([texts.get('a.jsonnet'), problems]).toEqual(['[1,2,3]', []])
  })
})

describe('faults', () => {
  test('are reported up to a limit, each with its line, and then reading stops', () => {
    const program = link({ 'a.jsonnet': "import '/',\n".repeat(40_000), 'b.jsonnet': '(' })
    const reported = Array.from({ length: linkBounds.faults }, (_, at) => `a.jsonnet:${at + 1} sandbox/import`)
    expect(codesOf(program)).toEqual([...reported, `a.jsonnet:${linkBounds.faults} sandbox/more-problems`])
  })

  test('of files that are many are bounded in sum', () => {
    const program = link(many(1_000, (at) => [`${at}.jsonnet`, '\n(']))
    expect(program.problems).toHaveLength(linkBounds.faults + 1)
    expect(codesOf(program)[99]).toBe('99.jsonnet:2 sandbox/syntax')
  })

  test('are reported with their lines, also several on one line', () => {
    expect(codesOf(link({ 'a.jsonnet': "[import '/',\n\nimport '/', import 'b'\n, import 'c']" }))).toEqual([
      'a.jsonnet:1 sandbox/import',
      'a.jsonnet:3 sandbox/import',
      'a.jsonnet:3 sandbox/import',
      'a.jsonnet:4 sandbox/import',
    ])
  })
})

describe('a package over a limit is refused with the exceeded limit', () => {
  const half = `1 // ${' '.repeat(linkBounds.characters / 2)}`
  test.each<readonly [string, Readonly<Record<string, string>>, string, RegExp]>([
    ['Jsonnet that is long', { 'a.jsonnet': half, 'b.jsonnet': half }, 'b.jsonnet', /exceed 4,194,304 characters\.$/],
    [
      'imported texts that are long',
      { 'a.jsonnet': "[importstr 't.toml', importbin 't.toml']", 't.toml': half },
      't.toml',
      /exceed 4,194,304 characters\.$/,
    ],
    [
      'imports',
      { 'a.jsonnet': `[${"import 'b',".repeat(linkBounds.imports + 1)}]`, b: '1' },
      'a.jsonnet',
      /exceeds 50,000 imports\.$/,
    ],
    [
      'entries',
      many(linkBounds.entries + 1, (at) => [`${at}.jsonnet`, '1']),
      `${linkBounds.entries}.jsonnet`,
      /exceeds 10,000 entry points/,
    ],
    ['entries that all need much', entriesOnChain(2_000), '500.jsonnet', /together exceed 1,000,000\./],
  ])('%s', (_, files, file, message) => {
    const { problems, bindings, entries } = link(files)
    const fault = { file, line: 1, code: 'sandbox/too-large', message: expect.stringMatching(message) as string }
    expect(problems).toEqual([expect.objectContaining(fault)])
    expect([bindings, entries]).toEqual([[], []])
  })

  test('a package exactly at the limits is linked', () => {
    const imports = `[${"import 'b',".repeat(linkBounds.imports)}]`
    const text = imports.padEnd(linkBounds.characters - 1)
    expect(link({ 'a.jsonnet': text, b: '1' }).entries).toMatchObject([{ uses: [0, 1] }])
    expect(link(many(linkBounds.entries, (at) => [`${at}.jsonnet`, '1'])).entries).toHaveLength(linkBounds.entries)
    const { entries } = link(entriesOnChain(1_000))
    expect(entries.map(({ uses }) => uses.length)).toEqual(Array.from({ length: 1_000 }, () => 1_001))
  })
})
