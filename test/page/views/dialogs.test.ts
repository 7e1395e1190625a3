// What is open over a view: dialogs and the palette.
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'

describeInBrowser('a dialog', (opened) => {
  beforeAll(async () => {
    for (const name of ['rel1', 'rel2'])
      await opened().agent.ask('POST', 'stacks', { name, sources: [{ kind: 'inline' }] })
  })

  test('of the palette gives the focus back to the view, one of a button to the button', async () => {
    const { agent, page } = opened()
    await page.goto(`${agent.url}/stacks/rel1`)
    const suspend = page.getByRole('button', { name: 'Suspend', exact: true })
    await suspend.waitFor()
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill('suspend')
    await page.getByRole('option', { name: /^Suspend rel1/ }).waitFor()
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Suspend rel1?' })
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await page.locator('main:focus').waitFor()
    await suspend.click()
    await question.getByRole('button', { name: 'Not now' }).click()
    await expect.poll(() => suspend.evaluate((one) => one.matches(':focus'))).toBe(true)
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
