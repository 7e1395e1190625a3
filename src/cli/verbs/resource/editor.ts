import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { interruptions } from '../../errors/interruptions.js'
import { usageErrors } from '../../errors/usage-errors.js'
import type { Variables } from '../../client/agent-address.js'

/**
 * Opens a text in the editor of VISUAL, else EDITOR, and returns the edited text. Starts the editor without a shell, on
 * a file that only this user can read.
 */
export async function editText(text: string, environment: Variables): Promise<string> {
  const [program, ...args] = (environment['VISUAL'] || environment['EDITOR'] || '')
    .split(/\s+/)
    .filter((word) => word !== '')
  if (program === undefined) throw usageErrors.noEditor()
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

/** The editor gets the environment without GITMOOR_*, which has the API token. */
function runEditor(program: string, args: readonly string[], environment: Variables): Promise<void> {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('GITMOOR_')))
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', shell: false, env })
    child.on('error', (cause) => reject(usageErrors.editorNotStarted(program, cause)))
    child.on('exit', (code) => {
      if (code === 0) resolve()
      else reject(interruptions.editorExited(code))
    })
  })
}
