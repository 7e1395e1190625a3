import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError, UsageError } from '../../cli-error.js'
import { exitCode } from '../../exit-code.js'
import type { Variables } from '../../client/agent-address.js'

/**
 * Lets the person edit a text: VISUAL, else EDITOR, started without a shell on a file that nobody else can read. Gives
 * the new text.
 */
export async function editText(text: string, environment: Variables): Promise<string> {
  const [program, ...args] = (environment['VISUAL'] || environment['EDITOR'] || '')
    .split(/\s+/)
    .filter((word) => word !== '')
  if (program === undefined)
    throw new UsageError('No editor is named.', 'Set EDITOR, or give -f FILE or --set PATH=VALUE.')
  const directory = await mkdtemp(join(tmpdir(), 'gitmoor-edit-'))
  try {
    const file = join(directory, 'resource.yaml')
    await writeFile(file, text, { mode: 0o600, flag: 'wx' })
    await runEditor(program, [...args, file], environment)
    return await readFile(file, 'utf8')
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The editor is the person's own program: it has their environment, without what opens the agent. */
function runEditor(program: string, args: readonly string[], environment: Variables): Promise<void> {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('GITMOOR_')))
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', shell: false, env })
    child.on('error', (cause) => reject(new UsageError(`The editor ${program} cannot be started: ${cause.message}`)))
    child.on('exit', (code) => {
      if (code === 0) resolve()
      else
        reject(
          new CliError(exitCode.cancelled, `The editor ended with ${code ?? 'a signal'}; nothing was written.`, {
            status: 'cancelled',
          }),
        )
    })
  })
}
