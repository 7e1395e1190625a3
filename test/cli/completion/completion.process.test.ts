import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { program as main } from '../../e2e/built.js'
import { openTestShell, typeLine } from '../type-command.js'

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
