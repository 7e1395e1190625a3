// A new stack, from no stack at all to its first sync.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accessibilityFindings, describeInBrowser, showView } from '../in-browser.js'
import { bucket } from '../open-page.js'

describeInBrowser('a new stack', (opened) => {
  test('without stacks, the page shows three command lines that create one', async () => {
    const { page } = opened()
    for (const path of ['/', '/stacks']) {
      await showView(opened(), path)
      await page.locator('.no-stacks .cli').first().waitFor()
      const lines = await page.locator('.no-stacks .cli code').allTextContents()
      expect(lines.map((line) => /^gitmoor stack create NAME (--\w+)/.exec(line)?.[1])).toEqual([
        '--repo',
        '--dir',
        '--inline',
      ])
    }
    await page.locator('.no-stacks').getByRole('link', { name: 'New stack' }).click()
    await page.waitForURL('**/new-stack')
  })

  test('shows its command line while a person types, and keeps what was typed in the address', async () => {
    const { agent, page } = opened()
    const directory = join(agent.directory, 'boards')
    await page.getByRole('textbox', { name: 'Name' }).fill('boards')
    await page.getByLabel('Source').selectOption('directory')
    await page.getByRole('textbox', { name: 'Directory' }).fill(directory)
    await page.getByLabel('Approval').selectOption('approval')
    await page.getByText(`gitmoor stack create boards --dir ${directory} --apply approval`).waitFor()
    await page.waitForURL(/new-stack\?name=boards&source=directory&from=.*&apply=approval$/)
    await page.reload()
    expect(await page.getByRole('textbox', { name: 'Directory' }).inputValue()).toBe(directory)
    expect(await accessibilityFindings(page)).toEqual([])
  })

  test('says why there is no plan', async () => {
    const { browser, page } = opened()
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page
      .getByRole('alert')
      .getByText(/no such|not exist|cannot/i)
      .first()
      .waitFor()
    browser.errors.length = 0 // the browser reports the answer
  })

  test('shows the plan before it exists, then creates it', async () => {
    const { agent, page } = opened()
    mkdirSync(join(agent.directory, 'boards'))
    writeFileSync(join(agent.directory, 'boards', 'package.yml'), bucket('raw', 7_200))
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('heading', { name: 'First plan: 1 new on local' }).waitFor()
    await page.getByText('This plan needs approval.').waitFor()
    expect((await agent.ask('GET', 'stacks')).items).toEqual([])
    await page.getByRole('button', { name: 'Create the stack' }).click()
    await page.waitForURL('**/stacks/boards')
    await page.locator('h1 .state', { hasText: 'Needs approval' }).waitFor()
    expect((await agent.ask('GET', 'stacks/boards')).spec).toMatchObject({ apply: 'approval', intervalMs: 60_000 })
  })

  test('says that only ownership changes of what another stack owns, as the command line does', async () => {
    const { agent, page } = opened()
    const { digest } = await agent.ask('POST', 'stacks/boards/plan', {})
    await agent.type('approve', 'boards', digest.slice(0, 12))
    const directory = join(agent.directory, 'boards')
    await showView(opened(), `/new-stack?name=copy&source=directory&from=${encodeURIComponent(directory)}`)
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('heading', { name: 'First plan: No changes on local' }).waitFor()
    const change = page.locator('.change-head')
    await change.getByRole('img', { name: 'only ownership changes' }).waitFor()
    const notes = 'new in the package, shared: another stack owns it, only ownership changes'
    expect(await change.innerText()).toContain(notes)
    const created = agent.type('stack', 'create', 'copy', '--dir', directory, '--dry-run')
    expect(await created).toMatch(`= Bucket/raw  ${notes}`)
  })

  test('is created without a plan if its files are pushed later', async () => {
    const { agent, page } = opened()
    await page.goto(`${agent.url}/new-stack?name=pushed&source=inline`)
    await page.getByRole('button', { name: 'Create the stack' }).click()
    await page.waitForURL('**/stacks/pushed')
  })
})
