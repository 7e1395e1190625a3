// `npm run dev:web`: the page from its source files, with the API of an agent behind it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPage, token, type PageUnderTest } from './open-page.js'

describe('npm run dev:web', () => {
  let agent: PageUnderTest
  let server: ReturnType<typeof spawn>
  let url: string

  beforeAll(async () => {
    agent = await openPage()
    const env = { ...process.env, GITMOOR_URL: agent.url, NO_COLOR: '1' }
    server = spawn(process.execPath, ['scripts/dev-web.mjs', '--port', '0'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    url = await printedAddress(server)
  })
  afterAll(async () => {
    const exit = once(server, 'exit')
    server.kill()
    await exit
    await agent.close()
  })

  test('prints its address, and serves the source of the page there', async () => {
    expect(await (await fetch(url)).text()).toContain('src="/main.tsx"')
    expect(await (await fetch(`${url}main.tsx`)).text()).toContain('applyTheme()')
  })

  test('passes requests on to the agent, so that a person can sign in and write', async () => {
    const headers = { 'Content-Type': 'application/json', 'X-Gitmoor-Page': '1' }
    const signedIn = await fetch(`${url}api/v1/session`, { method: 'POST', headers, body: JSON.stringify({ token }) })
    expect(signedIn.status).toBe(201)
    const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
    const created = await fetch(`${url}api/v1/stacks`, {
      method: 'POST',
      headers: { ...headers, Cookie: cookie },
      body: JSON.stringify({ name: 'boards', sources: [{ kind: 'inline' }] }),
    })
    expect(created.status).toBe(201)
  })
})

async function printedAddress({ stdout }: ReturnType<typeof spawn>): Promise<string> {
  let printed = ''
  for await (const chunk of stdout!) {
    printed += String(chunk)
    const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`It printed no address: ${printed}`)
}
