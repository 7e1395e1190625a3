// The overview of many packages, and sections that fail on their own.
import { expect, test } from 'vitest'
import { accessibilityFindings, describeInBrowser, expectFit, showView } from '../in-browser.js'
import { createMany, nameAt } from '../many-stacks.js'

const packages = 60

describeInBrowser('the overview', (opened) => {
  const cells = () => opened().page.locator('.matrix .count-cell')

  test('above 50 packages, the matrix has counts and the worst states, in pages', async () => {
    const { agent, page } = opened()
    await createMany(agent.store, 2 * packages, (at) => `package-${String(at % packages).padStart(2, '0')}`)
    await agent.ask('POST', `stacks/${nameAt(1)}/suspend`, { why: 'lunch' })
    await page.goto(agent.url)
    await cells().first().waitFor()
    expect(await cells().count()).toBe(50)
    expect(await cells().nth(1).getAttribute('aria-label')).toBe('2 stacks, worst: Suspended')
    await page.getByText('60 packages on 1 target.').waitFor()
    expect(await accessibilityFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'Next packages' }).click()
    await expect.poll(() => cells().count()).toBe(10)
    await page.getByRole('link', { name: 'First packages' }).click()
    await expect.poll(() => cells().count()).toBe(50)
  })

  test('one package, and one target, can be opened; the address names it', async () => {
    const { page } = opened()
    await page.getByRole('link', { name: 'fleet/package-01' }).click()
    const row = page.locator('#versions ~ div tbody tr, .versions tbody tr')
    await expect.poll(() => row.count()).toBe(1)
    expect(await row.textContent()).toMatch(/^local.*2 stacks.*Suspended$/)
    expect(page.url()).toMatch(/\?package=https/)
    await showView(opened(), '/?target=local')
    await expect.poll(() => row.count()).toBe(packages)
    await page.locator('.versions').getByRole('link', { name: 'Deployed versions' }).click()
    await cells().first().waitFor()
  })

  test('a section that cannot be read says so, and the others go on', async () => {
    const { agent, browser, page } = opened()
    const matrix = /\/api\/v1\/overview\/matrix/
    await page.route(matrix, (route) => route.abort())
    await page.goto(agent.url)
    const section = page.locator('.versions')
    await section.getByText('Cannot show the deployed versions. Retrying in 5 s.').waitFor()
    await agent.ask('POST', `stacks/${nameAt(2)}/suspend`, { why: 'lunch' })
    await page.getByRole('link', { name: '2 Suspended' }).waitFor()
    await page.unroute(matrix)
    await cells().first().waitFor()
    browser.errors.length = 0 // the browser reports the requests
  })

  test('what was read stays, with the time since when it is old', async () => {
    const { agent, browser, page } = opened()
    const overview = /\/api\/v1\/overview$/
    await page.route(overview, (route) => route.abort())
    await agent.ask('POST', `stacks/${nameAt(3)}/suspend`, { why: 'lunch' })
    await page.getByText(/Not updated since \d\d:\d\d UTC\. Retrying in 5 s\./).waitFor()
    await page.getByRole('link', { name: '2 Suspended' }).waitFor()
    await expect.poll(() => cells().nth(3).getAttribute('aria-label')).toContain('worst: Suspended')
    await page.unroute(overview)
    await page.getByRole('link', { name: '3 Suspended' }).waitFor()
    expect(await page.getByText(/Not updated since/).count()).toBe(0)
    browser.errors.length = 0
  })
})

const targets = Array.from({ length: 13 }, (_, at) => `t${at + 1}`)

describeInBrowser(
  'the overview of 13 targets',
  (opened) => {
    test('has them in their natural order, without findings', async () => {
      const { agent, page } = opened()
      for (const target of targets)
        await agent.ask('POST', 'stacks', { name: `on-${target}`, target, sources: [{ kind: 'inline' }] })
      await page.goto(agent.url)
      await page.locator('.matrix .count-cell').first().waitFor()
      expect(await page.locator('.matrix thead th + th').allTextContents()).toEqual(targets)
      await expectFit(page)
    })
  },
  {
    configuration: () => ({
      targets: Object.fromEntries(targets.map((name) => [name, { platform: 'embedded', organisation: name }])),
    }),
  },
)
