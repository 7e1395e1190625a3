// The eleven states, caused with the command line and watched on pages that are open; and pages whose stream was cut,
// whose agent was restarted, or that missed events.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Identity } from '../../../src/model/address.js'
import { states } from '../../../src/status/status.js'
import { startFaultyProxy, type FaultyProxy } from '../../faulty-proxy.js'
import type { Repository } from '../../git-server.js'
import { describeInBrowser } from '../in-browser.js'
import { bucket, repositoryOf } from '../open-page.js'

const raw = bucket('raw', 7_200)
const kept = bucket('kept', 7_200)
/** It needs a secret that no stack has. */
const pager = JSON.stringify({
  apiVersion: 'influxdata.com/v2alpha1',
  kind: 'NotificationEndpointPagerDuty',
  metadata: { name: 'pager' },
  spec: { url: 'https://pager.example', routingKey: { secretRef: { key: 'pager-key' } } },
})

describeInBrowser('open pages', (opened) => {
  let repository: Repository
  let proxy: FaultyProxy
  let overview: Page
  let stack: Page
  let fresh: Page
  let releaseUpdate: () => void

  const type = (...words: readonly string[]): Promise<string> => opened().agent.type(...words)
  const sync = (): Promise<string> => type('sync', 'boards', '--no-wait')
  const push = (...buckets: readonly string[]): Promise<string> =>
    repository.commit({ files: { 'package.yml': buckets.join('\n---\n') }, tags: ['stable'] })

  beforeAll(async () => {
    const { agent, browser, page } = opened()
    repository = await repositoryOf(agent)
    await push(raw)
    proxy = await startFaultyProxy(Number(new URL(agent.url).port))
    const url = `http://127.0.0.1:${proxy.port}`
    const source = ['--repo', repository.directory, '--ref', 'stable', '--interval', '1d']
    await type('stack', 'create', 'boards', ...source, '--drift', 'report', '--drift-interval', '1d')
    overview = page
    stack = await browser.newPage()
    fresh = await browser.newPage()
    await Promise.all([overview.goto(url), stack.goto(`${url}/stacks/boards`)])
  })
  afterAll(() => proxy?.[Symbol.asyncDispose]())

  async function closeWindow(): Promise<void> {
    const windows = [{ kind: 'deny', schedule: '* * * * *', duration: '1h', reason: 'freeze' }]
    await opened().agent.ask('PATCH', 'stacks/boards', { windows })
  }

  /** What people type until each state, beginning from the one before. */
  const causes: Readonly<Record<string, () => Promise<unknown>>> = {
    Synced: async () => {},
    Suspended: () => type('suspend', 'boards', '--why', 'lunch'),
    Unknown: async () => {
      await type('resume', 'boards')
      await type('resource', 'edit', 'Bucket/raw', '--set', 'description=by hand', '--yes')
    },
    Drifted: () => type('wait', 'boards').catch(() => 'exit code 7'),
    Running: async () => {
      releaseUpdate = opened().agent.platform.holdCalls('update').release
      await sync()
    },
    Failed: async () => {
      releaseUpdate()
      await push('kind: [')
      await sync()
    },
    'Needs approval': async () => {
      await push(raw, kept)
      await type('sync', 'boards')
      await push(raw)
      await sync()
    },
    Behind: () => type('channel', 'veto', 'stable', 'latest', '--why', 'we need it', '--yes', '--no-wait'),
    Pinned: async () => {
      await push(kept, raw)
      await type('sync', 'boards')
      await type('channel', 'pin', 'stable', '--why', 'audit', '--yes', '--no-wait')
    },
    Degraded: async () => {
      await type('channel', 'unpin', 'stable', '--yes', '--no-wait')
      await push(raw, kept, pager)
      await sync()
    },
    Waiting: async () => {
      await push(raw, kept)
      await type('sync', 'boards')
      await closeWindow()
      await push(raw)
      await sync().catch(() => 'exit code 10')
    },
  }

  test('are eleven states', () => {
    expect(Object.keys(causes).toSorted()).toEqual(states.toSorted())
  })

  test.each(Object.keys(causes))('show %s as it begins', async (state) => {
    await causes[state]!()
    await expectState(state)
  })

  test('show what happened while their stream was cut', async () => {
    const { browser } = opened()
    await proxy.leave()
    await expectLive('Reconnecting')
    await type('suspend', 'boards', '--why', 'lunch')
    await proxy.comeBack()
    await expectLive('Live')
    await expectState('Suspended')
    await expectNewest()
    browser.errors.length = 0 // the browser reports the connections
  })

  test('show what happened while an event was lost on its way', async () => {
    const { browser } = opened()
    proxy.fault({ after: 0, how: 'end' })
    await type('resume', 'boards')
    await expectLive('Reconnecting')
    proxy.fault()
    await expectLive('Live')
    await expectState('Waiting')
    await expectNewest()
    browser.errors.length = 0
  })

  test('show what happened while their agent was restarted', async () => {
    const { agent, browser } = opened()
    await agent.restart()
    await type('suspend', 'boards', '--why', 'lunch')
    await expectLive('Live')
    await expectState('Suspended')
    await expectNewest()
    browser.errors.length = 0
  })

  test('show what happened while they missed more events than the agent keeps', async () => {
    const { agent, browser } = opened()
    await proxy.leave()
    await expectLive('Reconnecting')
    await type('resume', 'boards')
    const resource = { family: 'Bucket', identity: '1' as Identity }
    for (let at = 0; at < 1_100; at++)
      agent.events.targetChanged({ type: 'target.changed', target: 'local', resource, operation: 'update' })
    await proxy.comeBack()
    await expectLive('Live')
    await expectState('Waiting')
    await expectNewest()
    browser.errors.length = 0
  })

  async function expectState(state: string): Promise<void> {
    await overview
      .locator('.legend')
      .getByRole('link', { name: `1 ${state}`, exact: true })
      .waitFor()
    await stack.locator('h1 .state', { hasText: state }).waitFor()
  }

  /** Both show what a new tab shows. */
  async function expectNewest(): Promise<void> {
    for (const page of [overview, stack]) {
      await fresh.goto(page.url())
      await fresh.locator('main h1').waitFor()
      await expect.poll(() => fresh.locator('[aria-busy=true]').count()).toBe(0)
      await expect.poll(async () => differentLines(await textOf(page), await textOf(fresh))).toEqual([])
    }
  }

  async function expectLive(word: string): Promise<void> {
    for (const page of [overview, stack]) await page.locator('.live', { hasText: word }).waitFor()
  }
})

function differentLines(a: string, b: string): readonly string[] {
  const [old, now] = [a, b].map((text) => new Set(text.split('\n')))
  return [...[...old!].filter((line) => !now!.has(line)), ...[...now!].filter((line) => !old!.has(line))]
}

/** What a view says, without how long ago: time passes. */
async function textOf(page: Page): Promise<string> {
  const text = await page.locator('main').innerText()
  return text.replaceAll(/\b(in )?\d+ (s|min)\b( ago)?|\bnow\b/g, 'TIME')
}
