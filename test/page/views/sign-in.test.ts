// Signing in: with a code in the address of an open tab, and again when a session ends.
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'
import { token } from '../open-page.js'

describeInBrowser('signing in', (opened) => {
  beforeAll(() => opened().agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] }))

  test('works with a code that arrives in an open tab', async () => {
    const { agent, browser, page } = opened()
    await page.context().clearCookies()
    await page.goto(`${agent.url}/sign-in`)
    await page.getByLabel('Token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The token is wrong.').waitFor()
    browser.errors.length = 0 // the browser reports the answer 401
    await page.goto(`${agent.url}/sign-in#code=${agent.sessions.issueCode('ana').code}`)
    await page.locator('.legend a').waitFor()
    expect(page.url()).toBe(`${agent.url}/`)
    await page.goto(`${agent.url}/sign-in`)
    await page.locator('.legend a').waitFor()
  })

  test('over the view, when a session ends: what is typed stays', async () => {
    const { agent, browser, page } = opened()
    await page.goto(`${agent.url}/stacks/boards`)
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('the target is moved')
    await page.context().clearCookies()
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
    await page.getByText('Your session ended.').waitFor()
    browser.errors.length = 0
    await page.keyboard.press('Escape')
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Your session ended.').waitFor({ state: 'detached' })
    expect(await page.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('the target is moved')
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
    await page.locator('h1 .state', { hasText: 'Suspended' }).waitFor()
    browser.errors.length = 0 // of the stream, until the session was there again
  })

  test('is asked for when the stream of events is refused, too', async () => {
    const { agent, browser, page } = opened()
    await page.clock.install()
    await page.goto(agent.url)
    await page.locator('.live-live').waitFor()
    await page.context().clearCookies()
    await page.clock.fastForward(40_000) // without a heartbeat
    await page.locator('.live-reconnecting').waitFor()
    await page.clock.fastForward(10_000)
    await page.getByText('Your session ended.').waitFor()
    expect(await page.getByText('The agent does not answer').count()).toBe(0)
    await page.goto('about:blank')
    browser.errors.length = 0
    await page.goto(`${agent.url}/sign-in#code=${agent.sessions.issueCode('ana').code}`)
    await page.locator('.legend a').waitFor()
  })

  test('out ends the page in all tabs', async () => {
    const { agent, browser, page } = opened()
    const second = await browser.newPage()
    await second.goto(`${agent.url}/stacks/boards`)
    await page.goto(`${agent.url}/settings`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    for (const tab of [page, second]) await tab.getByLabel('Token').waitFor()
    expect(await second.getByText('boards').count()).toBe(0)
  })
})
