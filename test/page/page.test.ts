// The page in a browser.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bucket, describeWithChromium, openBrowser, openPage, type Browser, type PageUnderTest } from './open-page.js'

describeWithChromium('the page', () => {
  let agent: PageUnderTest
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    ;[agent, browser] = await Promise.all([openPage(), openBrowser()])
    page = await browser.newPage()
    await push({ 'package.yml': [bucket('raw', 7_200), bucket('kept', 7_200)].join('\n---\n') }, true)
  })
  afterAll(async () => {
    await browser?.close()
    await agent?.close()
  })

  async function push(files: Readonly<Record<string, string>>, isNew = false): Promise<void> {
    if (isNew) await agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] })
    const list = Object.entries(files).map(([path, text]) => ({ path, text }))
    await agent.ask('PUT', 'stacks/boards/package', { files: list })
    await agent.ask('POST', 'stacks/boards/wait', { timeoutMs: 10_000 })
  }

  const heading = (text: string | RegExp) => page.getByRole('heading', { level: 1 }).filter({ hasText: text })

  test('refuses a wrong token and signs in with a code, which it removes from the address', async () => {
    await page.goto(agent.url)
    await page.getByLabel('Token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The token is wrong.').waitFor()
    browser.errors.length = 0 // the browser reports the answer 401
    await page.goto(`${agent.url}/sign-in#code=${agent.sessions.issueCode('ana').code}`)
    await heading('No stacks need attention').waitFor()
    expect(page.url()).toBe(`${agent.url}/`)
    expect((await agent.sessions.list()).map(({ name }) => name)).toContain('ana')
  })

  test('shows within a second that a plan needs approval, and why', async () => {
    await push({ 'package.yml': bucket('kept', 7_200) })
    await heading('1 of 1 stack needs attention').waitFor()
    await page.getByText('Removing Bucket/raw deletes its data.').waitFor()
    expect(await page.title()).toBe('(1) gitmoor')
    await page.getByRole('link', { name: 'Review plan: boards' }).click()
    await expect.poll(() => page.title()).toBe('(1) Plan of boards – gitmoor')
    await page.goBack()
  })

  test('approves by keyboard alone, after each loss of data is accepted by name', async () => {
    await page.getByRole('link', { name: 'Review plan: boards' }).focus()
    await page.keyboard.press('Enter')
    await heading('1 removed on local').waitFor()
    const approve = page.getByRole('button', { name: /^Approve/ })
    expect(await approve.isDisabled()).toBe(true)
    await page.keyboard.press('a')
    await page.keyboard.press('Space')
    await approve.focus()
    await page.keyboard.press('Enter')
    await page.locator('h1 .state', { hasText: 'Synced' }).waitFor()
    const { items } = await agent.ask('GET', 'stacks/boards/runs?limit=1')
    expect(items[0]).toMatchObject({ outcome: 'applied', changes: { remove: 1 } })
  })

  test('shows a suspension that the command line made, and resumes', async () => {
    await agent.ask('POST', 'stacks/boards/suspend', { why: '<b>moved</b> \u202e' })
    await page.locator('.because-wide', { hasText: String.raw`<b>moved</b> \u{202e}` }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).first().click()
    await page.locator('h1 .state', { hasText: 'Synced' }).waitFor()
  })

  test('signs out', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${agent.url}/settings`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').waitFor()
    expect(await agent.sessions.list()).toEqual([])
  })

  test('reported no error and no violation of its policy', () => {
    expect(browser.errors.join('\n')).toBe('')
  })
})
