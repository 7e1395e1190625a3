// An agent in this process with the built page, real HTTP, and the Chromium of this machine.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { adapters } from '../../src/adapters.js'
import { createApi } from '../../src/api/api.js'
import { digestToken } from '../../src/api/server/access.js'
import { serveApi } from '../../src/api/server/server.js'
import { Sessions } from '../../src/api/session/sessions.js'
import { readConfiguration } from '../../src/config/config.js'
import { systemClock } from '../../src/lib/clock.js'
import { openAgent } from '../../src/open-agent.js'
import { PageFiles } from '../../src/page/page.js'
import type { Store } from '../../src/store/store.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import { chromiumArguments, chromiumPath } from '../../scripts/page/chromium.mjs'

const missing = 'needs Chromium: apt-get install chromium'

/** Tests with the Chromium of this machine. Without one, they are one skipped test; with CI=1, a failed one. */
export function describeInBrowser(title: string, body: (executable: string) => void): void {
  const executable = chromiumPath()
  if (executable !== undefined) describe(title, () => body(executable))
  else if (process.env['CI'] === '1') test(missing, () => expect.unreachable(missing))
  else test.skip(missing)
}

export const token = 'token-of-the-page-tests'

/** `apiVersion: …` of a bucket with a retention. */
export function bucket(name: string, everySeconds: number): string {
  const spec = { name, retentionRules: [{ type: 'expire', everySeconds }] }
  return JSON.stringify({ apiVersion: 'influxdata.com/v2alpha1', kind: 'Bucket', metadata: { name }, spec })
}

export interface PageUnderTest {
  readonly url: string
  /** Requests with the token, below /api/v1. */
  ask(method: string, path: string, body?: object): Promise<any>
  readonly sessions: Sessions
  readonly store: Store
  /** Where sources of stacks may be. */
  readonly directory: string
  /** Writes the configuration file and reads it again, as on SIGHUP. */
  reload(text: string): Promise<void>
  close(): Promise<void>
}

interface PageOptions {
  /** The configuration file, as a value. `root`: the directory of the test. Default: none. */
  readonly configuration?: (root: string) => object
  /** Tags of repositories may be moved. Default: no. */
  readonly mayPush?: boolean
}

export async function openPage({ configuration, mayPush = false }: PageOptions = {}): Promise<PageUnderTest> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-page-')))
  const data = join(root, 'data')
  mkdirSync(data, { mode: 0o700 })
  const directory = join(root, 'srv')
  mkdirSync(directory)
  const file = join(root, 'gitmoor.yaml')
  writeFileSync(file, JSON.stringify(configuration?.(root) ?? { allow: { directories: [directory] } }))
  const read = (): ReturnType<typeof readConfiguration> =>
    readConfiguration(file, { platforms: adapters.platforms, data })
  const { value, problems } = read()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  if (value === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  const pushing: typeof adapters = {
    ...adapters,
    openSource: (options) => adapters.openSource({ ...options, mayPush: () => mayPush }),
  }
  const open = openAgent(value, pushing, { version: '0.0.0-test', log, redactor: new Redactor() })
  const tokenDigest = digestToken(token)
  const sessions = new Sessions({ table: open.store.sessions, clock: systemClock, tokenDigest })
  const page = new PageFiles(join(import.meta.dirname, '..', '..', 'dist', 'web'))
  const api = createApi({ call: open.call, tokenDigest, hosts: [], version: '0.0.0-test', sessions, page })
  const served = await serveApi(api, { host: '127.0.0.1', port: 0, graceMs: 200 })
  await open.agent.start(() => open.configuration.start())
  return {
    url: served.url,
    sessions,
    store: open.store,
    directory,
    reload: async (text) => {
      writeFileSync(file, text)
      await open.configuration.reload(read)
    },
    ask: (method, path, body) => ask(served.url, method, path, body),
    close: async () => {
      await served.close()
      await open[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${url}/api/v1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return answer.json()
}

export interface Browser {
  readonly context: BrowserContext
  /** Errors of the console, of scripts, and of the content security policy. */
  readonly errors: string[]
  newPage(): Promise<Page>
  close(): Promise<void>
}

export async function openBrowser(executablePath: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'gitmoor-chromium-'))
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: [...chromiumArguments] })
  context.setDefaultTimeout(20_000)
  const errors: string[] = []
  return {
    context,
    errors,
    newPage: async () => {
      const page = await context.newPage()
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
      })
      page.on('pageerror', (error) => errors.push(error.message))
      return page
    },
    close: async () => {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

/** A page of a browser that signed in. */
export async function signedIn(agent: PageUnderTest, browser: Browser): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`${agent.url}/sign-in#code=${agent.sessions.issueCode().code}`)
  await page.locator('main h1').waitFor()
  return page
}
