import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { program as main } from '../../e2e/built.js'
import { completionScripts } from '../../../src/cli/completion/completion-scripts.js'
import { makeDirectory, openTestShell, typeLine } from '../type-command.js'

const run = promisify(execFile)

describe('the script for bash', () => {
  test.skipIf(!existsSync('/bin/bash'))(
    'offers what the program says, as it is, and evaluates none of it',
    async () => {
      const shell = await openTestShell()
      const program = join(shell.directory, 'gitmoor')
      await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
      await chmod(program, 0o755)
      const script = `source <(gitmoor completion bash); COMP_WORDS=(gitmoor stack li); COMP_CWORD=2; _gitmoor; printf '%s|' "\${COMPREPLY[@]}"`
      const env = { PATH: `${shell.directory}:/usr/bin:/bin`, HOME: shell.directory, GITMOOR_DATA: shell.directory }
      const { stdout } = await run('/bin/bash', ['--norc', '-c', script], { env })
      expect(stdout).toBe('list|')
    },
  )

  test.skipIf(!existsSync('/bin/bash'))(
    'joins the parts of a word that bash splits, and offers the last part',
    async () => {
      const directory = await makeDirectory()
      const program = join(directory, 'gitmoor')
      // Notes its arguments, and prints one candidate.
      await writeFile(program, `#!/bin/sh\nprintf '%s|' "$@" >"$HOME/asked"\nprintf 'a,team=ops\\tabout\\n'\n`)
      await chmod(program, 0o755)
      const line = async (words: string, at: number): Promise<readonly string[]> => {
        const script = `${completionScripts.bash}
        COMP_WORDS=(${words}); COMP_CWORD=${at}; _gitmoor; printf '%s|' "\${COMPREPLY[@]}"; cat "$HOME/asked"`
        const env = { PATH: `${directory}:/usr/bin:/bin`, HOME: directory }
        const { stdout } = await run('/bin/bash', ['--norc', '-c', script], { env })
        return stdout.split('|').slice(0, -1)
      }
      const asked = ['complete', '--', 'sync', '-l']
      expect(await line('gitmoor sync -l a,team = o', 5)).toEqual(['ops', ...asked, 'a,team=o'])
      expect(await line('gitmoor sync -l a,team =', 4)).toEqual(['ops', ...asked, 'a,team='])
      expect(await line('gitmoor sync -l a,te', 3)).toEqual(['a,team=ops', ...asked, 'a,te'])
      expect(await line('gitmoor sync -l ""', 3)).toEqual(['a,team=ops', ...asked, ''])
    },
  )

  test.each(['zsh', 'fish'])('exists for %s, too', async (shell) => {
    const { code, stdout } = await typeLine(`completion ${shell}`, {})
    expect(code).toBe(0)
    expect(stdout).toContain('gitmoor complete -- ')
  })

  test('for an unknown shell is refused, with a list of shells', async () => {
    const { code, stderr } = await typeLine('completion tcsh', {})
    expect(code).toBe(3)
    expect(stderr).toContain('bash, zsh, fish')
  })
})
