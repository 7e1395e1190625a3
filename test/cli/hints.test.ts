// Every command that a hint, a next step or a help text of the program names exists, with its options and arguments.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseCommand } from './parse-command.js'
import { openTestShell } from './type-command.js'

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('completion-scripts.ts'))
  .map((file) => join('src', file))

/** `gitmoor retries`, `gitmoor may start`: a sentence about the program. */
const aboutGitmoor = /^(?:\w+s|can(?:not)?|did|failed|has|is|itself|may|must|neither|that|therefore|will|with)\b/

/** The verb or the option is known at run time only: tested below. */
const computed = /^(?:X|channel X|stack set X X$)/

/** The code without comments, with `X` for each value that a template inserts. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8')
    .replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
    .replaceAll('\\`', "'")
    .replaceAll(/(\w?)(?<!\\)\$\{(?:[^{}]|\{[^{}]*\})*\}/g, (_, before: string) => (before === '' ? 'X' : before))
}

/** What follows `gitmoor` up to the end of the text, of the sentence or of the clause. */
function commandsIn(file: string): readonly string[] {
  return [...codeOf(file).matchAll(/(?<![\w/.-]|\ba |[Aa]nother |version of |newer )gitmoor ([a-zX-][^\n]*)/g)]
    .map((match) => match[1]!.split(/['`\n]|\\n|\.(?=[\s'`]|$)|[,;)](?=\s|$)| > | -->|: /)[0]!.trim())
    .filter((text) => !aboutGitmoor.test(text))
}

const commands = [...new Set(files.flatMap(commandsIn))]

describe('a command that the program names', () => {
  test('is found', () => {
    expect(commands).toContain('stack list')
    expect(commands).toContain('history X X')
    expect(commands.length).toBeGreaterThan(60)
  })

  test.each(commands.filter((line) => !computed.test(line)))('is valid: gitmoor %s', async (line) => {
    await expect(parseCommand(line)).resolves.toBeUndefined()
  })

  test('is refused if it does not exist', async () => {
    await expect(parseCommand('plan X --rev X')).rejects.toThrow("unknown option '--rev'")
    await expect(parseCommand('explain')).rejects.toThrow("missing required argument 'NAME'")
  })

  const calls = (pattern: RegExp, among = files): readonly (readonly string[])[] =>
    among.flatMap((file) => [...codeOf(file).matchAll(pattern)].map(([, ...parts]) => parts.map((part) => part ?? '')))
  const built = [
    ...calls(/\bstackCommand\([^,]+, '([a-z ]+)', [\w.![\]]+(?:, '([^']*)')?\)/g).map(
      ([verb, more]) => `${verb} X${more}`,
    ),
    ...calls(/\bchannelCommand\([^,]+, '([a-z ]+)', \{[^}]*\}(?:, '([^']*)')?\)/g).map(
      ([verb, more]) => `channel ${verb} X${more}`,
    ),
    ...calls(
      /'(--[a-z][a-z-]+ \w+)'/g,
      files.filter((file) => file.startsWith(join('src', 'status'))),
    ).map(([option]) => `stack set X ${option!.replace(/ N$/, ' 1')}`),
  ]
  test.each(built)('is valid where the program builds it: gitmoor %s', async (line) => {
    expect(built.length).toBeGreaterThan(15)
    await expect(parseCommand(line)).resolves.toBeUndefined()
  })

  test.each([
    'snyc boards',
    'help stack lst',
    'sync boards --no-wiat',
    'suspend boards',
    'channel veto stable latest',
    'resource create',
    'channel approve stable --why ok',
    'channel approve latest --why ok',
  ])('is valid where it corrects: gitmoor %s', async (line) => {
    const { stderr } = await (await openTestShell()).type(line)
    const [, corrected] = /next: .*?gitmoor (.*?)(?:\. To list.*)?\n$/.exec(stderr)!
    await expect(parseCommand(corrected!)).resolves.toBeUndefined()
  })
})
