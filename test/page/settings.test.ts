// The configuration in a browser: values with their lines, secrets as names, and why a reload was refused.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser, expectFit } from './in-browser.js'
import type { PageUnderTest } from './open-page.js'

const configuration = () => ({
  credentials: { forge: { match: 'https://git.example/', token: '${env:FORGE_TOKEN}' } },
  notifications: { ops: { slack: { url: 'https://hooks.example/secret-path' } } },
  limits: { concurrency: 4 },
  targets: { local: { platform: 'embedded' } },
})

beforeAll(() => {
  process.env['FORGE_TOKEN'] = 'plain-token'
})
afterAll(() => {
  delete process.env['FORGE_TOKEN']
})

describeInBrowser(
  'the settings',
  (opened) => {
    let agent: PageUnderTest
    let page: Page

    beforeAll(async () => {
      ;({ agent, page } = opened())
      await page.goto(`${agent.url}/settings`)
    })
    const row = (key: string) => page.getByRole('row').filter({ has: page.getByText(key, { exact: true }) })

    test('show each value with its line, and the sections of the file open', async () => {
      await row('limits.concurrency').waitFor()
      expect(await row('limits.concurrency').innerText()).toMatch(/4\s+gitmoor\.yaml:1/)
      expect(await row('limits.run').innerText()).toMatch(/30m\s+default/)
      expect(await row('page.enabled').isVisible()).toBe(false)
    })

    test('show secrets by their names only', async () => {
      expect(await row('credentials.forge.token').innerText()).toContain('${env:FORGE_TOKEN}')
      expect(await row('notifications.ops.slack.url').innerText()).toContain('(secret)')
      const text = await page.locator('main').innerText()
      expect(text).not.toContain('plain-token')
      expect(text).not.toContain('secret-path')
    })

    test('find values by their words, also of closed sections, and the address keeps them', async () => {
      await page.getByLabel('Filter values').fill('page.enabled')
      await row('page.enabled').waitFor()
      expect(await page.getByRole('row').count()).toBe(2)
      expect(new URL(page.url()).searchParams.get('q')).toBe('page.enabled')
      await page.getByLabel('Filter values').fill('')
    })

    test('say where a refused reload failed; the former values stay', async () => {
      await agent.reload('limits:\n  concurrency: many\n')
      await page.reload()
      await page.getByText('The last reload was refused').waitFor()
      await page.getByText(/gitmoor\.yaml:2/).waitFor()
      expect(await row('limits.concurrency').innerText()).toContain('4')
    })

    test('have no findings of axe-core and do not scroll sideways', async () => {
      await expectFit(page)
    })
  },
  { configuration },
)
