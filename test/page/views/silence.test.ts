// A connection that is lost, although nobody closed it: heartbeats no longer come.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFaultyProxy, type FaultyProxy } from '../../faulty-proxy.js'
import { describeInBrowser } from '../in-browser.js'

describeInBrowser(
  'a page whose connection is lost without a word',
  (opened) => {
    let proxy: FaultyProxy
    let url: string

    beforeAll(async () => {
      const { agent } = opened()
      await agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] })
      proxy = await startFaultyProxy(Number(new URL(agent.url).port))
      url = `http://127.0.0.1:${proxy.port}`
    })
    afterAll(() => proxy?.[Symbol.asyncDispose]())

    const live = (tab: Page, word: string): Promise<void> => tab.locator('.live', { hasText: word }).waitFor()
    const link = (tab: Page, name: string) => tab.getByRole('link', { name })

    /** Opens a view, until one stream got so many heartbeats. */
    async function openUntil(path: string, count: number): Promise<void> {
      const { page } = opened()
      const beats = new Map<string, number>()
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      session.on('Network.eventSourceMessageReceived', ({ requestId, eventName }) => {
        if (eventName === 'heartbeat') beats.set(requestId, (beats.get(requestId) ?? 0) + 1)
      })
      await page.goto(url + path)
      await expect.poll(() => Math.max(...beats.values())).toBeGreaterThanOrEqual(count)
      await session.detach()
    }

    test('keeps a stream as long as heartbeats come', () => openUntil('/', 5))

    test('says so, in each tab, connects again, and shows what happened meanwhile', async () => {
      const { agent, browser, page } = opened()
      const second = await browser.newPage()
      await second.goto(url)
      await live(second, 'Live')
      proxy.fault({ after: 0, how: 'silence' })
      await agent.ask('POST', 'stacks/boards/suspend', { why: 'lunch' })
      for (const tab of [page, second]) await live(tab, 'Reconnecting')
      proxy.fault()
      for (const tab of [page, second]) {
        await live(tab, 'Live')
        await link(tab, '1 Suspended').waitFor()
      }
      await second.close()
      browser.errors.length = 0 // the browser reports the connections
    })

    test('reads again what it was reading', async () => {
      const { agent, browser, page } = opened()
      await openUntil('/stacks', 1)
      proxy.fault({ after: 0, how: 'silence' })
      const reading = page.waitForRequest('**/api/v1/overview')
      await page.getByRole('link', { name: 'Overview' }).first().click()
      await reading
      await agent.ask('POST', 'stacks/boards/resume')
      await live(page, 'Reconnecting')
      proxy.fault()
      await live(page, 'Live')
      await link(page, '1 Suspended').waitFor({ state: 'detached' })
      browser.errors.length = 0
    })
  },
  { heartbeatMs: 200 },
)
