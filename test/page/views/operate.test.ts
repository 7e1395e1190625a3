// What runs beside the stacks: webhooks with their deliveries, and the doctor.
import { expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'
import { bucket, repositoryOf } from '../open-page.js'

const configuration = (root: string): object => ({
  allow: { directories: [`${root}/srv`] },
  webhooks: { gh: { provider: 'github', secret: 'a-secret-of-sixteen' } },
})

describeInBrowser(
  'beside the stacks',
  (opened) => {
    test('people see the display name of a stack in lists and in its header', async () => {
      const { agent, page } = opened()
      await agent.type('stack', 'create', 'named', '--inline', '--display-name', 'Boards of the harbour')
      await page.goto(`${agent.url}/stacks`)
      await page.getByText('Boards of the harbour, local').waitFor()
      await page.goto(`${agent.url}/stacks/named`)
      await page.getByText('Boards of the harbour', { exact: true }).waitFor()
      expect(await agent.type('stack', 'list')).toMatch(/DISPLAY NAME[^]*Boards of the harbour/)
    })

    test('an undo that the agent refuses says why', async () => {
      const { agent, browser, page } = opened()
      await agent.type('stack', 'create', 'short-lived', '--inline')
      await page.goto(`${agent.url}/stacks/short-lived`)
      await page.getByRole('button', { name: 'Suspend', exact: true }).click()
      const question = page.getByRole('dialog')
      await question.getByRole('textbox', { name: 'Reason' }).fill('lunch')
      await question.getByRole('button', { name: 'Suspend', exact: true }).click()
      await page.getByRole('button', { name: 'Undo' }).waitFor()
      await agent.type('stack', 'delete', 'short-lived', '--yes')
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.locator('.toast', { hasText: 'There is no stack named short-lived' }).waitFor()
      await page.goto('about:blank') // requests end
      browser.errors.length = 0 // the browser reports the answers 404
    })

    test('a test of a webhook is in both lists at once', async () => {
      const { agent, page } = opened()
      const repository = await repositoryOf(agent)
      for (const everySeconds of [7_200, 14_400])
        await repository.commit({ files: { 'package.yml': bucket('raw', everySeconds) }, tags: ['stable'] })
      await agent.type('stack', 'create', 'boards', '--repo', repository.directory, '--ref', 'stable')
      await page.goto(`${agent.url}/webhooks`)
      await page.getByText('No delivery yet.').waitFor()
      await page.getByRole('button', { name: 'Test: gh' }).click()
      await page.getByRole('button', { name: /^Redeliver/ }).waitFor()
      expect(await page.getByText('No delivery yet.').count()).toBe(0)
    })

    test('a refused delivery is not "no delivery"', async () => {
      const { agent, page } = opened()
      await fetch(`${agent.url}/hooks/gh`, { method: 'POST', headers: { 'X-GitHub-Event': 'push' }, body: '{}' })
      await page.reload()
      await page.getByText(/refused delivery/).waitFor()
    })

    test('each next step of the doctor is a line, with the command to copy', async () => {
      const { agent, page } = opened()
      await agent.type('channel', 'veto', 'stable', 'latest', '--why', 'wrong', '--yes')
      await page.goto(`${agent.url}/doctor`)
      const steps = page.locator('li', { hasText: 'stack boards' }).locator('.next-steps li')
      await steps.first().waitFor()
      expect(await steps.allTextContents()).toEqual([
        'Move stable to another commit: its release ends the veto',
        'Or release this commit after allgitmoor channel approve 1 --why "REASON"',
      ])
      await steps.getByRole('button', { name: 'Copy: gitmoor channel approve 1 --why "REASON"' }).waitFor()
    })

    test('the history names channels of decisions, deleted stacks, suspensions and changed settings', async () => {
      const { agent, page } = opened()
      await agent.type('stack', 'delete', 'named', '--yes')
      await agent.type('suspend', 'boards', '--why', 'an audit')
      await agent.type('stack', 'set', 'boards', '--drift', 'report')
      await page.goto(`${agent.url}/`)
      const decision = /vetoed stable of fleet, move 1/
      await page.locator('.latest li', { hasText: decision }).waitFor()
      await page.goto(`${agent.url}/history`)
      const rows = page.locator('.history-rows li')
      await rows.filter({ hasText: decision }).waitFor()
      await rows.filter({ hasText: /deleted the stack named/ }).waitFor()
      await rows.filter({ hasText: /boards\s*recorded.*: suspended: an audit/ }).waitFor()
      await rows.filter({ hasText: /boards\s*recorded.*: settings changed: drift correct → report/ }).waitFor()
      await page.goto(`${agent.url}/history?by=nobody`)
      await page.getByText('No matching runs.').waitFor()
    })
  },
  { configuration },
)
