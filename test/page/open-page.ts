// An agent in this process with the built page, real HTTP, and the Chromium of this machine.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { describe, expect, inject, test } from 'vitest'
import { adapters } from '../../src/adapters.js'
import type { Adapters } from '../../src/agent-adapters.js'
import { createApi } from '../../src/api/api.js'
import { digestToken } from '../../src/api/server/access.js'
import { streamLimits } from '../../src/api/server/event-stream.js'
import { serveApi } from '../../src/api/server/server.js'
import { Sessions } from '../../src/api/session/sessions.js'
import { readConfiguration, type Configuration } from '../../src/config/config.js'
import { systemClock } from '../../src/lib/clock.js'
import { openAgent } from '../../src/open-agent.js'
import { PageFiles } from '../../src/page/page.js'
import type { Kinds, Platform } from '../../src/platform/platform.js'
import { Redactor } from '../../src/secrets/redact/redact.js'
import { watchDigests } from '../../src/stacks/overview/watch-digests.js'
import type { Events } from '../../src/stacks/scheduler.js'
import type { Store } from '../../src/store/store.js'
import type { DigestView } from '../../src/views/event.js'
import type { CallUseCase } from '../../src/webhooks/call-use-case.js'
import { typeHere } from '../e2e/type-here.js'
import { WatchedPlatform } from '../e2e/watched-platform.js'
import { makeRepository, type Repository } from '../git-server.js'

const missing = 'needs Chromium: apt-get install chromium'

/** `npm run page:check`: tests that measure are strict. */
export const isChecked = process.env['GITMOOR_PAGE_CHECK'] === '1'

/** Tests with the Chromium of this machine. Without one, they are one skipped test; with CI=1, a failed one. */
export function describeWithChromium(title: string, body: () => void): void {
  if (inject('chromium') !== undefined) describe(title, body)
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
  /** The command line, over HTTP; its output. Errors: it does not end with 0. */
  type(...words: readonly string[]): Promise<string>
  readonly sessions: Sessions
  readonly store: Store
  readonly platform: WatchedPlatform
  readonly events: Events
  /** Every digest of events that a stream got, and how many streams are open. */
  readonly streams: { readonly digests: readonly DigestView[]; readonly open: number }
  /** Where sources of stacks may be. */
  readonly directory: string
  /** Writes the configuration file and reads it again, as on SIGHUP. */
  reload(text: string): Promise<void>
  /** Stops the agent, and starts another one on the same data and port. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface PageOptions {
  /** The configuration file, as a value. `root`: the directory of the test. Default: only the directory is allowed. */
  readonly configuration?: (root: string) => object
  /** Of streams of events. Default: that of the agent. */
  readonly heartbeatMs?: number
}

/** A bare repository that stacks of the agent may follow. */
export function repositoryOf(agent: PageUnderTest, name = 'fleet'): Promise<Repository> {
  return makeRepository(agent.directory, name)
}

export async function openPage({ configuration, heartbeatMs }: PageOptions = {}): Promise<PageUnderTest> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-page-')))
  const data = join(root, 'data')
  mkdirSync(data, { mode: 0o700 })
  const directory = join(root, 'srv')
  mkdirSync(directory)
  const file = join(root, 'gitmoor.yaml')
  const allow = { directories: [directory], secrets: ['env:GITMOOR_TEST_MISSING'] }
  writeFileSync(file, JSON.stringify(configuration?.(root) ?? { allow }))
  const read = (): ReturnType<typeof readConfiguration> =>
    readConfiguration(file, { platforms: adapters.platforms, data })
  const { value, problems } = read()
  if (value === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  let running = await startAgent(value, { port: 0, heartbeatMs })
  const { url } = running.served
  return {
    url,
    directory,
    get sessions() {
      return running.sessions
    },
    get store() {
      return running.open.store
    },
    get platform() {
      return running.platform
    },
    get events() {
      return running.open.agent.events
    },
    get streams() {
      return running.streams
    },
    ask: (method, path, body) => ask(url, method, path, body),
    type: async (...words) => {
      const env = { GITMOOR_URL: url, GITMOOR_TOKEN: token }
      const { code, stdout, stderr } = await typeHere(words, { cwd: root, env })
      if (code !== 0) throw new Error(`gitmoor ${words.join(' ')} ended with ${code}: ${stderr}`)
      return stdout
    },
    reload: async (text) => {
      writeFileSync(file, text)
      await running.open.configuration.reload(read)
    },
    restart: async () => {
      await running.close()
      running = await startAgent(value, { port: Number(new URL(url).port), heartbeatMs })
    },
    close: async () => {
      await running.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function startAgent(
  configuration: Configuration,
  {
    port,
    heartbeatMs = streamLimits.heartbeatMs,
  }: { readonly port: number; readonly heartbeatMs?: number | undefined },
) {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  let platform: WatchedPlatform | undefined
  const openPlatforms: Adapters['openPlatforms'] = (documents, means) => {
    const [embedded, ...others] = adapters.openPlatforms(documents, means)
    platform = new WatchedPlatform(embedded as Platform & Kinds, 'embedded')
    return [platform, ...others]
  }
  const open = openAgent(
    configuration,
    { ...adapters, openPlatforms, openSource: (given) => adapters.openSource({ ...given, mayPush: () => true }) },
    { version: '0.0.0-test', log, redactor: new Redactor() },
  )
  const tokenDigest = digestToken(token)
  const sessions = new Sessions({ table: open.store.sessions, clock: systemClock, tokenDigest })
  const page = new PageFiles(join(import.meta.dirname, '..', '..', 'dist', 'web'))
  const { call, streams } = countStreams(open.call)
  const api = createApi({
    call,
    tokenDigest,
    hosts: [],
    version: '0.0.0-test',
    sessions,
    page,
    streams: { heartbeatMs },
  })
  const served = await serveApi(api, { host: '127.0.0.1', port, graceMs: 200 })
  await open.agent.start(() => open.configuration.start())
  const close = async (): Promise<void> => {
    await served.close()
    await open[Symbol.asyncDispose]()
  }
  return { open, sessions, served, streams, platform: platform!, close }
}

/** Notes what streams of digests are opened, closed and sent. */
function countStreams(call: CallUseCase) {
  const streams = { digests: [] as DigestView[], open: 0 }
  const watch: typeof watchDigests = async (context, query, send) => {
    const stop = await watchDigests(context, query, (digest) => {
      streams.digests.push(digest)
      send(digest)
    })
    streams.open++
    return () => {
      streams.open--
      stop()
    }
  }
  const counting: CallUseCase = (useCase, ...args) =>
    call((useCase as unknown) === watchDigests ? (watch as unknown as typeof useCase) : useCase, ...args)
  return { call: counting, streams }
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

/** A profile of its own in the Chromium that all files share. */
export async function openBrowser(): Promise<Browser> {
  const shared = await chromium.connect(inject('chromium')!)
  const context = await shared.newContext()
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
      await shared.close()
    },
  }
}
