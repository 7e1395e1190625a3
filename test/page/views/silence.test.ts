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

    /** Ends with the first heartbeat of a stream: from then on, the tab knows how often they come. */
    async function heartbeat(tab: Page): Promise<void> {
      const session = await tab.context().newCDPSession(tab)
      await session.send('Network.enable')
      await new Promise<void>((resolve) =>
        session.on('Network.eventSourceMessageReceived', ({ eventName }) => eventName === 'heartbeat' && resolve()),
      )
      await session.detach()
    }

    test('keeps a stream as long as heartbeats come', async () => {
      const { page } = opened()
      const beats = new Map<string, number>()
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      session.on('Network.eventSourceMessageReceived', ({ requestId, eventName }) => {
        if (eventName === 'heartbeat') beats.set(requestId, (beats.get(requestId) ?? 0) + 1)
      })
      await page.goto(url)
      await expect.poll(() => Math.max(...beats.values())).toBeGreaterThan(4)
      await session.detach()
    })

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
    })

    test('reads again what it was reading', async () => {
      const { agent, page } = opened()
      await page.goto(`${url}/stacks`)
      await live(page, 'Live')
      await heartbeat(page)
      proxy.fault({ after: 0, how: 'silence' })
      const reading = page.waitForRequest('**/api/v1/overview')
      await page.getByRole('link', { name: 'Overview' }).first().click()
      await reading
      await agent.ask('POST', 'stacks/boards/resume')
      await live(page, 'Reconnecting')
      proxy.fault()
      await live(page, 'Live')
      await link(page, '1 Suspended').waitFor({ state: 'detached' })
    })
  },
  { heartbeatMs: 200 },
)
