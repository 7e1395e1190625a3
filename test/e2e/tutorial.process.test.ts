// The README's quick start, then the tutorial, as a reader types them: every command in order, against the real
// program.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { program } from './built.js'
import { Processes } from './processes.js'

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
  await type('npx gitmoor wait demo')
})
afterAll(async () => {
  await processes[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

/** As a reader does, in a shell. Throws where the command fails. */
function type(command: string): Promise<string> {
  const env = { PATH: `${join(root, 'bin')}:${process.env['PATH']}`, HOME: root, USER: 'ana' }
  const child = spawn('/bin/sh', ['-c', command.replace('DIGEST', digest)], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      digest = /digest ([0-9a-f]{12})/.exec(output)?.[1] ?? digest
      if (code === 0) resolve(output)
      else reject(new Error(`${command} ended with ${code}:\n${output}`))
    })
  })
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

describe('the quick start and the tutorial, typed in order', () => {
  test('have commands', () => {
    expect(steps.flatMap(({ commands }) => commands).length).toBeGreaterThan(25)
  })

  test.each(steps.map((step) => [step.commands.join('; '), step] as const))('%s', async (_, { commands, shown }) => {
    let printed = ''
    for (const command of commands) printed += await type(command)
    expect(printed.split('\n').map(plain)).toEqual(expect.arrayContaining(shown.map(plain)))
  })
})
