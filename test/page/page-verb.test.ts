// `gitmoor page`: opens the browser, or prints the address.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestShell, typeLine, type Typed } from '../cli/type-command.js'
import { openPage, token, type PageUnderTest } from './open-page.js'

describe('gitmoor page', () => {
  let agent: PageUnderTest
  let directory: string

  beforeAll(async () => {
    agent = await openPage()
  })
  afterAll(() => agent.close())
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'gitmoor-opener-'))
    return () => rmSync(directory, { recursive: true, force: true })
  })

  const opened = (): string => join(directory, 'opened')

  /** At a terminal of a machine with windows, whose program for addresses ends with `code`. */
  function type(line: string, { code = 0, hasWindows = true, terminal = true } = {}): Promise<Typed> {
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(directory, name), `#!/bin/sh\necho "$1" > ${opened()}\nexit ${code}\n`)
      chmodSync(join(directory, name), 0o755)
    }
    const windows = hasWindows ? { DISPLAY: ':0' } : {}
    const environment = { GITMOOR_URL: agent.url, GITMOOR_TOKEN: token, PATH: `${directory}:/bin:/usr/bin`, ...windows }
    return typeLine(line, { environment, terminal })
  }

  const addressIn = ({ stdout }: Typed): string => /^http\S+\/sign-in#code=\S+$/m.exec(stdout)![0]

  test('opens the browser at an address that signs in once', async () => {
    const typed = await type('page')
    expect(typed).toMatchObject({ code: 0, stderr: '' })
    expect(typed.stdout).toContain('The browser opens.')
    expect(readFileSync(opened(), 'utf8').trim()).toBe(addressIn(typed))
    const code = addressIn(typed).split('code=')[1]!
    const signIn = (): Promise<Response> =>
      fetch(`${agent.url}/api/v1/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Gitmoor-Page': '1', 'Sec-Fetch-Site': 'same-origin' },
        body: JSON.stringify({ code, name: 'ann' }),
      })
    expect((await signIn()).status).toBe(201)
    expect((await signIn()).status).toBe(401)
  })

  test.each([
    ['with --print', 'page --print', {}],
    ['without a terminal', 'page', { terminal: false }],
  ])('%s, prints the address and opens nothing', async (_, line, machine) => {
    const typed = await type(line, machine)
    expect(typed).toMatchObject({ code: 0, stderr: '' })
    expect(typed.stdout).toMatch(/^Open within 60 s; it works once:\nhttp/)
    expect(existsSync(opened())).toBe(false)
  })

  test.runIf(process.platform === 'linux')('prints the address if the machine has no windows', async () => {
    expect((await type('page', { hasWindows: false })).stdout).toMatch(/^Open within 60 s/)
    expect(existsSync(opened())).toBe(false)
  })

  test('prints the address if no browser opens', async () => {
    expect((await type('page', { code: 3 })).stdout).toMatch(/^Open within 60 s; it works once:\nhttp/)
  })

  test('says so if the agent serves no page', async () => {
    const shell = await openTestShell()
    const typed = await shell.type('page --print')
    expect(typed).toMatchObject({ code: 9, stdout: '' })
    expect(typed.stderr).toContain('This agent serves no web page.')
  })
})
