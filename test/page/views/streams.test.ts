// How much the page asks of the agent: requests of the first view, and event streams of many tabs.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'

describeInBrowser('the page asks the agent for', (opened) => {
  beforeAll(() => opened().agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] }))

  const live = (page: Page) => page.locator('.live', { hasText: 'Live' })

  test('six files and answers, and the stream, until it shows its first answer; all of its own address', async () => {
    const { agent, page } = opened()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const answer = page.waitForResponse(`${agent.url}/api/v1/overview`)
    await page.goto(agent.url)
    await answer
    const first = new Set(requests.filter((url) => !url.includes('/api/v1/events')))
    expect(first.size).toBeLessThanOrEqual(6)
    await live(page).waitFor()
    expect(requests.filter((url) => !url.startsWith(`${agent.url}/`))).toEqual([])
  })

  test('one stream of events for ten tabs, also after the tab that reads it is closed', async () => {
    const { agent, browser, page } = opened()
    const tabs = [page, ...(await Promise.all(Array.from({ length: 9 }, () => browser.newPage())))]
    await Promise.all(tabs.slice(1).map((tab) => tab.goto(agent.url)))
    for (const tab of tabs) await live(tab).waitFor()
    expect(agent.streams.open).toBe(1)
    await page.goto('about:blank')
    await expect.poll(() => agent.streams.digests.length).toBeGreaterThan(1)
    for (const tab of tabs.slice(1)) await live(tab).waitFor()
    await expect.poll(() => agent.streams.open).toBe(1)
    await agent.ask('POST', 'stacks/boards/suspend', { why: 'lunch' })
    for (const tab of tabs.slice(1)) await tab.getByRole('link', { name: '1 Suspended' }).waitFor()
    await Promise.all(tabs.slice(1).map((tab) => tab.close()))
  })
})
