import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { program as main } from '../../e2e/built.js'
import { openTestShell, typeLine } from '../type-command.js'

const run = promisify(execFile)

/** What Tab offers after these words, the last of which is being typed. */
async function offered(
  words: readonly string[],
  desk?: Awaited<ReturnType<typeof openTestShell>>,
): Promise<readonly string[]> {
  const line = ['complete', '--', ...words]
  const typed = desk === undefined ? await typeLine(line, {}) : await desk.type(line)
  expect(typed.code).toBe(0)
  return typed.stdout.split('\n').flatMap((text) => (text === '' ? [] : [text.split('\t')[0]!]))
}

describe('the next word', () => {
  test('is a verb with this prefix that --help lists', async () => {
    expect(await offered(['s'])).toEqual(['stack', 'sync', 'suspend'])
    expect(await offered(['compl'])).toEqual(['completion'])
    expect(await offered(['stack', 'de'])).toEqual(['delete'])
  })

  test('is an option of the verb or of the program', async () => {
    expect(await offered(['plan', 'boards', '--d'])).toEqual(['--detailed-exitcode', '--data'])
    expect(await offered(['plan', '--h'])).toEqual(['--help'])
  })

  test('is one of the choices of an option or an argument', async () => {
    expect(await offered(['stack', 'set', 'boards', '--drift', ''])).toEqual(['correct', 'report', 'ignore'])
    expect(await offered(['completion', ''])).toEqual(['bash', 'zsh', 'fish'])
  })

  test('is a stack of the agent, or a run of the stack', async () => {
    const desk = await openTestShell()
    const names = await offered(['sync', ''], desk)
    expect(names.length).toBeGreaterThan(0)
    expect(await offered(['sync', names[0]!], desk)).toEqual(names.filter((name) => name.startsWith(names[0]!)))
    expect((await offered(['rollback', names[0]!, ''], desk)).every((id) => /^\d+$/.test(id))).toBe(true)
  })

  test('is a resource of the stack on the line', async () => {
    const desk = await openTestShell()
    expect(await offered(['explain', 'boards', ''], desk)).not.toEqual([])
    expect(desk.asked.at(-1)).toMatchObject({ verb: 'resources', args: [{ stack: 'boards' }] })
  })

  test('is nothing for a file or without an agent, so the shell offers files', async () => {
    expect(await offered(['agent', '--config', ''])).toEqual([])
    expect(await offered(['sync', ''])).toEqual([])
    expect(await offered(['validate', ''])).toEqual([])
  })
})

describe('the script for bash', () => {
  test.skipIf(!existsSync('/bin/bash'))(
    'offers what the program says, as it is, and evaluates none of it',
    async () => {
      const desk = await openTestShell()
      const program = join(desk.directory, 'gitmoor')
      await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
      await chmod(program, 0o755)
      const script = `source <(gitmoor completion bash); COMP_WORDS=(gitmoor stack li); COMP_CWORD=2; _gitmoor; printf '%s|' "\${COMPREPLY[@]}"`
      const env = { PATH: `${desk.directory}:/usr/bin:/bin`, HOME: desk.directory, GITMOOR_DATA: desk.directory }
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
