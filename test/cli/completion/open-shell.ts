// A shell on a terminal of its own, in which a test types as a person does. There, `gitmoor complete` is the program;
// any other command of `gitmoor` only notes its words.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { program } from '../../e2e/built.js'
import { until } from '../../e2e/until.js'
import { makeDirectory, type TestShell } from '../type-command.js'

const folders = ['/usr/local/bin', '/usr/bin', '/bin']

/** Where a program is installed; undefined: it is not. */
export function installed(name: string): string | undefined {
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}

/** The home directory of a person who types, with `gitmoor` in its PATH. */
export interface Home {
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
}

/** `agent`: the one that completion asks. */
export async function makeHome(agent: Pick<TestShell, 'directory'>): Promise<Home> {
  const directory = await makeDirectory()
  const gitmoor = join(directory, 'gitmoor')
  const note = `{ printf '%s|' "$@"; echo; } >>"$HOME/typed"`
  const script = `#!/bin/sh\ncase "$1" in comple*) exec "${process.execPath}" "${program}" "$@" ;; esac\n${note}\n`
  await writeFile(gitmoor, script)
  await chmod(gitmoor, 0o755)
  const env = {
    PATH: [directory, ...folders].join(':'),
    HOME: directory,
    ZDOTDIR: directory,
    SHELL: '/bin/sh',
    TERM: 'xterm',
    HISTFILE: '',
    LC_ALL: 'C.UTF-8',
    GITMOOR_DATA: agent.directory,
  }
  return { directory, env }
}

/** What the shells show when they wait for a line: their start files must set it. */
export const prompt = 'ready> '

/**
 * Starts a shell with script(1), which gives it a terminal. Returns a function that types a line and Enter, and gives
 * the words that `gitmoor` got then.
 */
export async function openShell(
  command: string,
  { directory, env }: Home,
): Promise<(line: string) => Promise<readonly string[]>> {
  const args = ['--quiet', '--command', `stty cols 200 rows 50; exec ${command}`, join(directory, 'typescript')]
  const child = spawn(installed('script')!, args, { cwd: directory, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL') // the shell ends with its terminal
    await closed
  })
  let screen = ''
  child.stdout.on('data', (chunk: Buffer) => (screen += chunk.toString()))
  const shows = async <T>(what: string, look: () => T | undefined): Promise<T> => {
    try {
      return await until(what, look)
    } catch (cause) {
      throw new Error(`The terminal shows: ${screen}`, { cause })
    }
  }
  await shows('the shell prompts', () => screen.includes(prompt) || undefined)
  let count = 0
  return async (line) => {
    const at = count++
    child.stdin.write(`${line}\r`)
    return shows(`gitmoor runs for ${line}`, () => noted(directory)[at])
  }
}

/** The words of each command so far. */
function noted(directory: string): readonly (readonly string[])[] {
  const file = join(directory, 'typed')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => line.split('|').slice(0, -1))
}
