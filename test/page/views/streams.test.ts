// How much the page asks of the agent: requests of the first view, and event streams of ten tabs.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'

/** More than the connections that a browser opens to a host. */
const tabCount = 10

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

  /** The answers that a tab asked for, by their path below /api/v1. */
  function readsOf(page: Page): readonly string[] {
    const paths: string[] = []
    page.on('request', (request) => {
      const [, path] = new URL(request.url()).pathname.split('/api/v1/')
      if (path !== undefined && !['events', 'session'].includes(path)) paths.push(path)
    })
    return paths
  }

  test.each(['/', '/stacks', '/stacks/boards', '/channels'])(
    'each answer once, if nothing changes: %s',
    async (path) => {
      const { agent, browser, page } = opened()
      const second = await browser.newPage()
      for (const tab of [page, second]) {
        const reads = readsOf(tab)
        await tab.goto(agent.url + path)
        await live(tab).waitFor()
        await expect.poll(() => tab.locator('[aria-busy=true]').count()).toBe(0)
        // Its first digest came before this answer.
        await tab.evaluate("fetch('/api/v1/session').then((answer) => answer.text())")
        expect(reads.toSorted()).toEqual([...new Set(reads)].toSorted())
        expect(reads).toContain('overview')
      }
      await second.close()
    },
  )

  test('an answer again, if something changed between it and the begin of the stream', async () => {
    const { agent, page } = opened()
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    await page.route('**/api/v1/events?*', (route) => begun.then(() => route.continue()))
    await page.goto(agent.url)
    await page.locator('.legend a').waitFor()
    await agent.ask('POST', 'stacks/boards/suspend', { why: 'lunch' })
    begin()
    await page.getByRole('link', { name: '1 Suspended' }).waitFor()
    await agent.ask('POST', 'stacks/boards/resume')
    await page.getByRole('link', { name: '1 Suspended' }).waitFor({ state: 'detached' })
    await page.unrouteAll()
  })

  test('one stream of events for ten tabs, also after the tab that reads it is closed', async () => {
    const { agent, browser, page } = opened()
    const tabs = [page, ...(await Promise.all(Array.from({ length: tabCount - 1 }, () => browser.newPage())))]
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
