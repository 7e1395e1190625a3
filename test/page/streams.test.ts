// How much the page asks of the agent: requests of the first view, event streams of many tabs, and digests of many
// changes.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from './in-browser.js'
import { createMany } from './many-stacks.js'

const many = 10_000

describeInBrowser('the page asks the agent for', (opened) => {
  beforeAll(() => createMany(opened().agent.store, many))

  const live = (page: Page) => page.locator('.live', { hasText: 'Live' })

  test('at most six files and answers until it shows its first one, all of its own address', async () => {
    const { agent, page } = opened()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(agent.url)
    await page.getByRole('heading', { level: 1, name: 'No stacks need attention' }).waitFor()
    expect(requests.length).toBeLessThanOrEqual(6)
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
    await agent.ask('POST', 'stacks/stack-00001/suspend', { why: 'lunch' })
    for (const tab of tabs.slice(1)) await tab.getByRole('link', { name: '1 Suspended' }).waitFor()
    await Promise.all(tabs.slice(1).map((tab) => tab.close()))
  })

  test('four digests a second at most, of at most 5 kB, while 10,000 stacks change', async () => {
    const { agent, page } = opened()
    await page.goto(agent.url)
    await live(page).waitFor()
    const before = agent.streams.digests.length
    const { stacks } = agent.store
    const found = await stacks.list({ limit: many })
    const suspended = { at: 1, by: 'ann', why: 'lunch', until: null }
    for (const { id } of found) {
      await stacks.change(id, { suspended })
      agent.events.stackChanged(id)
    }
    await page.getByRole('link', { name: '10,000 Suspended' }).waitFor()
    const digests = agent.streams.digests.slice(before)
    expect(digests.length).toBeGreaterThan(1)
    const times = digests.map(({ at }) => Date.parse(at))
    const seconds = times.slice(4).map((at, index) => at - times[index]!)
    expect(Math.min(1_000, ...seconds)).toBeGreaterThanOrEqual(1_000 - 4)
    expect(Math.max(...digests.map((digest) => JSON.stringify(digest).length))).toBeLessThan(5_000)
  })
})
