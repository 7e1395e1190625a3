// The README's quick start, then the tutorial, as a reader types them: every command in order, against a real agent.
// Commands that need a shell run in one, with the real program.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { program } from './built.js'
import { Processes } from './processes.js'
import { typeHere } from './type-here.js'
import { until } from './until.js'

/** Commands, and the lines that the page shows of what they print. */
interface Step {
  readonly commands: readonly string[]
  readonly shown: readonly string[]
}

/** The blocks of a page: `sh` is typed, `text` is an excerpt of what the `sh` block before it prints. */
function stepsOf(text: string): readonly Step[] {
  const steps: { commands: readonly string[]; shown: string[] }[] = []
  for (const [, language, body] of text.matchAll(/^```(sh|text)\n([^]*?)^```$/gm)) {
    const lines = body!.split('\n').filter((line) => line.trim() !== '')
    if (language === 'sh') steps.push({ commands: lines, shown: [] })
    else steps.at(-1)!.shown.push(...lines)
  }
  return steps
}

const readme = readFileSync('README.md', 'utf8')
const quickStart = readme.slice(readme.indexOf('## Quick start'), readme.indexOf('## Your own repository'))
const steps = [
  ...stepsOf(quickStart).slice(1), // the first block starts the agent, as beforeAll does
  ...stepsOf(readFileSync('docs/tutorial.md', 'utf8')),
]

let root: string
let processes: Processes
/** The digest of the plan that was printed last: what a reader types for DIGEST. */
let digest = ''

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-tutorial-')))
  mkdirSync(join(root, 'bin'))
  writeFileSync(join(root, 'bin/npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  })
  cpSync('config', join(root, 'config'), { recursive: true })
  execFileSync(process.execPath, ['scripts/make-demo.mjs', join(root, 'demo')])
  processes = new Processes()
  await processes.agent(['--config', 'config/gitmoor.yaml'], { cwd: root, data: join(root, '.gitmoor') })
  expect(await typeInShell('npx gitmoor wait demo')).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await processes[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

/** What a command prints. Throws if the command fails. */
async function type(command: string): Promise<string> {
  const typed = command.replace('DIGEST', digest)
  const [, approved] = /^npx gitmoor approve (\S+)/.exec(typed) ?? []
  if (approved !== undefined) await planNeedsApproval(approved)
  const words = wordsOf(typed)
  const { code, output } = words === undefined ? await typeInShell(typed) : await typeDirectly(words)
  if (!expectedCodes(command).includes(code)) throw new Error(`${command} ended with ${code}:\n${output}`)
  digest = /digest ([0-9a-f]{12})/.exec(output)?.[1] ?? digest
  return output
}

/** A veto ends with 7 if going back needs approval. */
function expectedCodes(command: string): readonly (number | null)[] {
  return command.startsWith('npx gitmoor channel veto ') ? [0, 7] : [0]
}

/** The run whose plan needs approval is queued by an earlier command, and may not have ended yet. */
async function planNeedsApproval(stack: string): Promise<void> {
  await until('the plan needs approval', async () =>
    (await typeDirectly(['stack', 'get', stack])).output.includes('Needs approval'),
  )
}

/** The arguments of a command of gitmoor that needs no shell; undefined: another command. */
function wordsOf(command: string): readonly string[] | undefined {
  const [, rest] = /^npx gitmoor ([^\\$`|;&<>*?'#()]*)$/.exec(command) ?? []
  return rest?.match(/(?:[^\s"]|"[^"]*")+/g)?.map((word) => word.replaceAll('"', ''))
}

interface Typed {
  readonly code: number | null
  readonly output: string
}

async function typeDirectly(words: readonly string[]): Promise<Typed> {
  const { code, stdout, stderr } = await typeHere(words, { cwd: root, env: { USER: 'ana' } })
  return { code, output: `${stdout}${stderr}` }
}

function typeInShell(command: string): Promise<Typed> {
  const env = { PATH: `${join(root, 'bin')}:${process.env['PATH']}`, HOME: root, USER: 'ana' }
  const child = spawn('/bin/sh', ['-c', command], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}

/**
 * Without what differs from one reader to the next: names, dates, commits, digests, durations and the width of columns.
 */
function plain(line: string): string {
  return line
    .replaceAll(/\bby \w+:/g, 'by NAME:')
    .replaceAll(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/g, 'DATE')
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'HEX')
    .replaceAll(/\b[0-9.]+ ?(ms|s|m|h)\b/g, 'TIME')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The author and the reason of a move are read from its tag right after the move is recorded. */
function isCompletedLater(command: string): boolean {
  return command.startsWith('npx gitmoor channel log ')
}

describe('the quick start and the tutorial, typed in order', () => {
  test('have commands', () => {
    const commands = steps.flatMap((step) => step.commands)
    expect(commands.length).toBeGreaterThan(25)
    expect(commands.filter((command) => wordsOf(command) !== undefined).length).toBeGreaterThan(20)
  })

  test.each(steps.map((step) => [step.commands.join('; '), step] as const))('%s', async (_, { commands, shown }) => {
    let printed = ''
    for (const command of commands) printed += await type(command)
    const lines = (): readonly string[] => printed.split('\n').map(plain)
    const last = commands.at(-1)!
    if (isCompletedLater(last))
      await until('its row is complete', async () => {
        printed += await type(last)
        return shown.every((line) => lines().includes(plain(line)))
      })
    expect(lines()).toEqual(expect.arrayContaining(shown.map(plain)))
  })
})
