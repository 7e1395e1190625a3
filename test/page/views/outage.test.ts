// An agent that ends, or does not answer: the page says so, on all widths, and goes on when it is back.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startFaultyProxy, type FaultyProxy } from '../../faulty-proxy.js'
import { describeInBrowser } from '../in-browser.js'

describeInBrowser('an agent that does not answer', (opened) => {
  let proxy: FaultyProxy
  let url: string

  beforeAll(async () => {
    const { agent, page } = opened()
    await agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] })
    proxy = await startFaultyProxy(Number(new URL(agent.url).port))
    url = `http://127.0.0.1:${proxy.port}`
    await page.clock.install()
  })
  afterEach(async () => {
    await opened().page.goto('about:blank')
    opened().browser.errors.length = 0 // the browser reports each request that has no answer
  })
  afterAll(() => proxy?.[Symbol.asyncDispose]())

  const outage = () => opened().page.getByText(/The agent does not answer since \d\d:\d\d UTC\. What you see is from/)

  test.each([1280, 375])('is a line at the top, %s px wide, until it is back', async (width) => {
    const { page } = opened()
    await page.setViewportSize({ width, height: 800 })
    await page.goto(url)
    await page.locator('.legend a').waitFor()
    await page.locator('.live-live').waitFor({ state: 'attached' })
    expect(await outage().count()).toBe(0)
    await proxy.leave()
    await page.locator('.live-reconnecting').waitFor({ state: 'attached' })
    await page.clock.fastForward(5_000)
    await outage().waitFor()
    expect((await outage().boundingBox())!.y).toBeLessThan(60)
    await proxy.comeBack()
    await page.clock.fastForward(20_000)
    await outage().waitFor({ state: 'detached' })
  })

  test('is the reason why a view is empty, and a button free again, after 20 s', async () => {
    const { page } = opened()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${url}/stacks/boards`)
    await page.getByRole('button', { name: 'Sync', exact: true }).waitFor()
    await page.route('**/api/v1/targets*', () => {}) // no answer
    await page.route('**/sync', () => {})
    const sync = page.getByRole('button', { name: 'Sync', exact: true })
    const request = page.waitForRequest('**/sync')
    await sync.click()
    await request
    expect(await sync.isDisabled()).toBe(true)
    await page.clock.fastForward(21_000)
    await page.getByText('The agent did not answer within 20 s. It may still do what you asked').waitFor()
    expect(await sync.isDisabled()).toBe(false)
    const read = page.waitForRequest('**/api/v1/targets*')
    await page.getByRole('link', { name: 'Targets' }).click()
    await read
    await page.clock.fastForward(21_000)
    await page.getByText('Cannot show the targets. Retrying in 5 s.').waitFor()
    await page.unrouteAll()
  })

  test('is the reason why the script of a view does not come', async () => {
    const { page } = opened()
    await page.route('**/assets/doctor*', (route) => route.abort())
    await page.goto(`${url}/doctor`)
    const reload = page.getByRole('button', { name: 'Reload the page' })
    await reload.waitFor()
    await page.unrouteAll()
    const view = page.locator('main h1')
    // It also comes by itself, if the page was not live before; the button is gone then.
    await Promise.any([view.waitFor(), reload.click().then(() => view.waitFor())])
  })

  test('is no longer a reason when the script of a view comes late', async () => {
    const { page } = opened()
    let send: (() => Promise<void>) | undefined
    await page.route('**/assets/history*.js', (route) => void (send = () => route.continue()))
    await page.goto(`${url}/history`)
    await expect.poll(() => send).toBeDefined()
    await page.clock.fastForward(21_000)
    await page.getByText('This view cannot be loaded.').waitFor()
    await send!()
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor()
    await page.unrouteAll()
  })

  test('is no longer a reason when the agent is back: the script of the view is read again', async () => {
    const { page } = opened()
    await page.goto(url)
    await page.locator('.live-live').waitFor({ state: 'attached' })
    await proxy.leave()
    await page.locator('.live-reconnecting').waitFor({ state: 'attached' })
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByText('This view cannot be loaded.').waitFor()
    await proxy.comeBack()
    await page.clock.fastForward(20_000)
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  })

  test('is not a session that ended', async () => {
    const { page } = opened()
    await page.route('**/api/v1/session', (route) => route.abort())
    await page.goto(`${url}/stacks/boards`)
    await page.getByText('The page tries again every 5 s.').waitFor()
    expect(await page.getByLabel('Token').count()).toBe(0)
    await page.unrouteAll()
    await page.clock.fastForward(6_000)
    await page.getByRole('heading', { level: 1, name: 'boards' }).waitFor()
  })
})
