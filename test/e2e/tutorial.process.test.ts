// The README, then the tutorial, as a reader of a fresh clone types them: every command in order, against the agent of
// `npm start`, and the output of each is checked. Commands that need a shell run in one, with the real program.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFreshClone, startScript } from './fresh-clone.js'
import { Processes, type Started } from './processes.js'
import { typeHere } from './type-here.js'
import { until } from './until.js'

/** Commands, and the lines that the page shows of what they print. */
interface Step {
  readonly commands: readonly string[]
  readonly shown: readonly string[]
}

/** The blocks of a page: `sh` is typed, `text` is an excerpt of what the `sh` block before it prints. */
function stepsOf(page: string): readonly Step[] {
  const steps: { commands: readonly string[]; shown: string[] }[] = []
  for (const [, language, body] of readFileSync(page, 'utf8').matchAll(/^```(sh|text)\n([^]*?)^```$/gm)) {
    const lines = body!.split('\n').filter((line) => line.trim() !== '')
    if (language === 'sh') steps.push({ commands: lines, shown: [] })
    else steps.at(-1)!.shown.push(...lines)
  }
  return steps
}

const readme = stepsOf('README.md')
const npmStart = 'npm ci && npm start'
const steps = [...readme, ...stepsOf('docs/tutorial.md')]
const commands = steps.flatMap((step) => step.commands)

/** What a command prints where the pages show nothing of it. */
const printed: Readonly<Record<string, RegExp>> = {
  'sed -i.bak s/Processor/CPU/ demo/monitoring/dashboard.yml': /^$/,
  'git -C demo commit -am "A shorter name"': /A shorter name\n 1 file changed/,
  'git -C demo tag -f stable': /^Updated tag 'stable' \(was a53a80d\)\n$/,
  './gitmoor wait demo': /^demo is synced at stable@[0-9a-f]{7}\.\n$/,
  './gitmoor explain demo': /^Dashboard\/machines .* changed /m,
  './gitmoor validate demo/monitoring': /valid: 2 Bucket, 1 Label, 1 Dashboard, 1 Task/,
  './gitmoor stack create boards --repo ./demo --path monitoring --ref stable --target lab':
    /^boards: applied stable@[0-9a-f]{7} .* 5 created/m,
  './gitmoor stack list': /^demo .* local /m,
  './gitmoor plan boards --dir demo': /^boards from demo on target lab\n/,
  'cp config/gitmoor.yaml config/my.yaml && ./gitmoor config check config/my.yaml': /^config\/my\.yaml: valid/m,
  "./gitmoor stack delete boards --uninstall --yes --consent 'Bucket/*'": /^Deleted boards\. 5 resources removed\.$/m,
  './gitmoor history demo 2': /tag stable moved[^]*1 updated/,
  './gitmoor stack get demo': /^state: +Synced$/m,
  './gitmoor doctor': /^ok +agent, .*database.*\n\n0 problems, /m,
  './gitmoor unpin demo': /changed by the unpin[^]*^demo: applied stable@[0-9a-f]{7} /m,
  './gitmoor resource edit Bucket/measurements --stack demo --set description="by hand"':
    /^Changed Bucket\/measurements\./,
  './gitmoor resource delete Dashboard/machines --stack demo --yes': /^Deleted Dashboard\/machines\./,
  './gitmoor stack create early --repo ./demo --path monitoring --ref beta --target staging':
    /^early: applied beta@7f542e0 .* 5 created/m,
  './gitmoor channel promote beta stable --why "a day on beta" --yes':
    /^Moved stable to 7f542e0[^]*^demo: applied stable@7f542e0 /m,
  './gitmoor channel veto stable latest --why "the hourly means must stay" --yes':
    /^Move 4 of .*#stable to 7f542e0 is vetoed\.$[^]*^This plan needs approval/m,
  './gitmoor approve demo DIGEST': /^demo: applied stable@[0-9a-f]{7} .* 3 updated/m,
  './gitmoor stack create trial --repo ./demo --path monitoring --ref main --target playground':
    /^trial: applied main@[0-9a-f]{7} .* 5 created/m,
  './gitmoor stack set trial --ref beta --apply approval': /^Changed trial\.[^]*^This plan needs approval/m,
  './gitmoor plan trial': /^ {2}next: gitmoor approve trial [0-9a-f]{12}$/m,
  './gitmoor approve trial DIGEST': /^trial: applied beta@7f542e0 .* 3 updated/m,
  "./gitmoor stack delete trial --uninstall --yes --consent 'Bucket/*'": /^Deleted trial\. 5 resources removed\.$/m,
  "./gitmoor stack delete early --uninstall --yes --consent 'Bucket/*'": /^Deleted early\. 5 resources removed\.$/m,
}

/** Commands that end with another exit code than 0, as the page says. */
const exitCodes: Readonly<Record<string, number>> = {
  './gitmoor channel veto stable latest --why "the hourly means must stay" --yes': 7,
  './gitmoor stack set trial --ref beta --apply approval': 7,
}

let root: string
let processes: Processes
let agent: Started
/** The digest of the plan that was printed last: what a reader types for DIGEST. */
let digest = ''

beforeAll(async () => {
  root = makeFreshClone()
  processes = new Processes(startScript(root))
  agent = processes.start(['--listen', '127.0.0.1:0'], { cwd: root })
  await until('npm start says what to try', () => {
    if (agent.child.exitCode !== null) throw new Error(`npm start ended: ${agent.stderr()}`)
    return agent.stderr().includes('docs/tutorial.md continues from here.')
  })
})
afterAll(async () => {
  await processes[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

/** What a command prints. Throws if the command fails. */
async function type(command: string): Promise<string> {
  if (command === npmStart) return agent.stderr() // beforeAll typed it
  const typed = command.replace('DIGEST', digest)
  const [, approved] = /^\.\/gitmoor approve (\S+)/.exec(typed) ?? []
  if (approved !== undefined) await planNeedsApproval(approved)
  const words = wordsOf(typed)
  const { code, output } = words === undefined ? await typeInShell(typed) : await typeDirectly(words)
  if (code !== (exitCodes[command] ?? 0)) throw new Error(`${command} ended with ${code}:\n${output}`)
  digest = /digest ([0-9a-f]{12})/.exec(output)?.[1] ?? digest
  return output
}

/** The run whose plan needs approval is queued by an earlier command, and may not have ended yet. */
async function planNeedsApproval(stack: string): Promise<void> {
  await until('the plan needs approval', async () =>
    (await typeDirectly(['stack', 'get', stack])).output.includes('Needs approval'),
  )
}

/** The arguments of a command of gitmoor that needs no shell; undefined: another command. */
function wordsOf(command: string): readonly string[] | undefined {
  const [, rest] = /^\.\/gitmoor ([^\\$`|;&<>*?'#()]*)$/.exec(command) ?? []
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
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: root, USER: 'ana', LC_ALL: 'C' }
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

function plainLines(text: string): readonly string[] {
  return text.split('\n').map(plain)
}

/** The author and the reason of a move are read from its tag right after the move is recorded. */
function isCompletedLater(command: string): boolean {
  return command.startsWith('./gitmoor channel log ')
}

describe('the README and the tutorial, typed in order', () => {
  test('are found, and nothing is expected of other commands', () => {
    expect(commands.length).toBeGreaterThan(30)
    expect(commands.filter((command) => wordsOf(command) !== undefined).length).toBeGreaterThan(25)
    expect(commands[0]).toBe(npmStart)
    expect(Object.keys(printed).filter((command) => !commands.includes(command))).toEqual([])
  })

  test('npm start builds, makes the demo, applies it and says what to try', () => {
    const story = [
      'Building…\n',
      'Built in ',
      'Made a repository to play with in ./demo (tags: stable, beta).\n',
      'info  agent started  url=http://127.0.0.1:',
      'Run 1 of demo at stable@a53a80d: created by the configuration file.\n',
      '+ Dashboard/machines "Machines"',
      'demo: applied stable@a53a80d',
      'git -C demo tag -f stable\n',
    ]
    const places = story.map((text) => agent.stderr().indexOf(text))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(agent.stderr()).not.toContain('\u001b')
  })

  test.each(steps.map((step) => [step.commands.join('; '), step] as const))('%s', async (_, { commands, shown }) => {
    const outputs: string[] = []
    for (const command of commands) {
      let output = await type(command)
      const isMissing = (): boolean => shown.some((line) => !plainLines(output).includes(plain(line)))
      if (isCompletedLater(command))
        await until('its rows are complete', async () => {
          if (!isMissing()) return true
          output = await type(command)
          return false
        })
      outputs.push(output)
    }
    expect(plainLines(outputs.join('\n'))).toEqual(expect.arrayContaining(shown.map(plain)))
    for (const [at, command] of commands.entries()) {
      const output = outputs[at]!
      const isShown = shown.some((line) => plainLines(output).includes(plain(line)))
      if (!isShown || command in printed) expect(output, command).toMatch(printed[command] ?? 'a line of the page')
    }
  })

  test('npm start names only commands of these pages', () => {
    const [, text] = agent.stderr().split('The stack demo follows the tag stable of ./demo.')
    const named = [...text!.matchAll(/^ {2}((?:sed|git|\.\/gitmoor) .*?)(?: {2,}.*)?$/gm)].map(
      ([, command]) => command!,
    )
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((command) => !commands.includes(command))).toEqual([])
  })
})

test('./gitmoor says what to do in a clone that is not built', () => {
  const clone = makeFreshClone()
  const { status, stderr } = spawnSync('./gitmoor', ['stack', 'list'], { cwd: clone, encoding: 'utf8' })
  rmSync(clone, { recursive: true, force: true })
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'error: gitmoor is not built yet.\n  next: npm start\n' })
})

test('the stacks of the README and of the tutorial are on different targets', () => {
  const targets = (page: string): readonly string[] =>
    [...readFileSync(page, 'utf8').matchAll(/stack create .* --target (\S+)$/gm)].map(([, target]) => target!)
  expect(targets('README.md')).toEqual(['lab'])
  expect(targets('docs/tutorial.md')).toEqual(['staging', 'playground'])
})

describe('the README', () => {
  const lines = readFileSync('README.md', 'utf8').trimEnd().split('\n')

  test('has at most 100 lines', () => {
    expect(lines.length).toBeLessThanOrEqual(100)
  })

  test('says in its third line which platforms exist', () => {
    expect(lines[2]).toContain('Platforms today: InfluxDB packages')
  })
})
