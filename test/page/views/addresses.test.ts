// Addresses that people type.
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'

describeInBrowser('an address', (opened) => {
  beforeAll(() => opened().agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] }))

  test.each(['/nonsense', '/%', '/STACKS/WEB', '/index.html'])('that nothing has, %s, has a way back', async (path) => {
    const { agent, browser, page } = opened()
    const answer = await page.goto(agent.url + path)
    expect(answer!.status()).toBe(404)
    expect(answer!.headers()['content-security-policy']).toContain("default-src 'none'")
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
    await page.getByRole('link', { name: 'Go to the overview' }).click()
    await page.locator('.legend a').waitFor()
    browser.errors.length = 0 // the browser reports the first answer
  })

  test.each(['/nonsense', '/api/v1/nonsense'])('of a program, %s, is answered in JSON', async (path) => {
    const { agent, page } = opened()
    const answer = await page.context().request.get(agent.url + path)
    expect(answer.headers()['content-type']).toBe('application/json')
  })

  test.each(['Bogus', 'constructor'])('with the state %s, which does not exist, shows all stacks', async (state) => {
    const { agent, page } = opened()
    await page.goto(`${agent.url}/stacks?state=${state}`)
    await page.getByRole('link', { name: 'boards' }).waitFor()
    expect(await page.locator('.tabs [aria-current]').textContent()).toMatch(/^All/)
  })
})
