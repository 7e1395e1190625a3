// What views say of one, of none, and of what did not happen; and what is in reach.
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../../e2e/until.js'
import { accessibilityFindings, describeInBrowser, showView } from '../in-browser.js'
import { bucket, repositoryOf } from '../open-page.js'

const configuration = (root: string): object => ({
  allow: { directories: [join(root, 'srv')] },
  targets: { local: { platform: 'embedded' }, spare: { platform: 'embedded', organisation: 'spare' } },
})

describeInBrowser(
  'the words',
  (opened) => {
    beforeAll(async () => {
      const { agent, page } = opened()
      const repository = await repositoryOf(agent)
      await repository.commit({ files: { 'package.yml': bucket('raw', 7_200) }, tags: ['stable'] })
      const stack = { target: 'local', sources: [{ url: repository.directory, ref: 'stable' }], interval: '1d' }
      await agent.ask('POST', 'stacks', { name: 'boards', ...stack })
      await agent.ask('POST', 'stacks/boards/wait', { timeoutMs: 20_000 })
      await page.setViewportSize({ width: 1280, height: 800 })
    })

    const show = (path: string): Promise<void> => showView(opened(), path)
    const sub = () => opened().page.locator('.sub').first().textContent()

    test.each([
      ['/', 'It is synced. It follows 1 channel.'],
      ['/channels', '1 ref releases to 1 stack. None is blocked.'],
      ['/targets', 'Stacks use 1.'],
    ])('of one are in its grammar: %s', async (path, text) => {
      await show(path)
      expect(await sub()).toBe(text)
    })

    test('of the channels begin when the newest moves did', async () => {
      const { page } = opened()
      await show('/channels')
      expect(await page.locator('.range [aria-current]').textContent()).toBe('1 d')
    })

    test('of a run that failed do not say that nothing changed', async () => {
      const { agent, page } = opened()
      const sources = [{ url: join(agent.directory, 'fleet'), ref: 'stable', path: 'gone' }]
      await agent.ask('POST', 'stacks', { name: 'broken', target: 'local', sources, interval: '1d' })
      const run = async () => (await agent.ask('GET', 'stacks/broken/runs')).items[0]
      await until('it failed', async () => (await run())?.outcome === 'failed')
      for (const path of ['/stacks?q=broken', '/stacks/broken', '/history?stack=broken']) {
        await show(path)
        await page.locator('.run-cell time, .runs time').first().waitFor()
        expect(await page.locator('tbody, .runs').allTextContents()).not.toContainEqual(
          expect.stringMatching(/no changes/),
        )
      }
    })

    test('of a name that is refused are its rule', async () => {
      const { page } = opened()
      await show('/new-stack')
      const name = page.getByRole('textbox', { name: 'Name' })
      await name.fill('Not a name')
      await page.getByRole('button', { name: 'Show the plan' }).click()
      const message = (): Promise<string> => name.evaluate((field: any) => field.validationMessage)
      expect(await message()).toContain('Write 1 to 63 of a-z')
      await name.fill('a-name')
      await name.press('Tab')
      expect(await message()).toBe('')
    })

    test('of the settings begin with the appearance, and have the units of the file', async () => {
      const { page } = opened()
      await show('/settings?q=packBytes')
      expect(await page.locator('main h2').allTextContents()).toMatchObject(
        [/^Appearance/, /^Sessions/, /^Configuration/].map((one) => expect.stringMatching(one)),
      )
      await page.getByRole('row', { name: 'limits.packBytes 32MiB' }).waitFor()
    })

    test('on a phone reach every view', async () => {
      const { page } = opened()
      await page.setViewportSize({ width: 375, height: 800 })
      await show('/')
      await page.getByText('More', { exact: true }).click()
      expect(await accessibilityFindings(page)).toEqual([])
      const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Doctor' })
      expect((await link.boundingBox())!.height).toBeGreaterThanOrEqual(44)
      await page.keyboard.press('Escape')
      expect(await link.isVisible()).toBe(false)
      await page.keyboard.press('Enter')
      await link.click()
      await page.waitForURL('**/doctor')
      await expect.poll(() => link.isVisible()).toBe(false)
    })
  },
  { configuration },
)
