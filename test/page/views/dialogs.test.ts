// What is open over a view: dialogs and the palette.
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'

describeInBrowser('a dialog', (opened) => {
  beforeAll(async () => {
    for (const name of ['rel1', 'rel2'])
      await opened().agent.ask('POST', 'stacks', { name, sources: [{ kind: 'inline' }] })
  })

  test.each([
    ['the question', 'Suspend rel1?'],
    ['the palette', 'Search or act'],
  ])('is closed by Back: %s', async (_, name) => {
    const { agent, page } = opened()
    await page.goto(`${agent.url}/stacks`)
    await page.getByRole('link', { name: 'rel1' }).click()
    const suspend = page.getByRole('button', { name: 'Suspend', exact: true })
    await suspend.waitFor()
    if (name === 'Suspend rel1?') await suspend.click()
    else await page.keyboard.press('/')
    await page.getByRole('dialog', { name }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Stacks' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
