// The drift view: what the last check found, and what a person can do about it.
import { beforeAll, expect, test } from 'vitest'
import { accessibilityFindings, describeInBrowser } from '../in-browser.js'
import { bucket } from '../open-page.js'

describeInBrowser('the drift view', (opened) => {
  const state = async (): Promise<string> => (await opened().agent.ask('GET', 'stacks/boards')).status.state
  const heading = (text: string | RegExp) => opened().page.getByRole('heading', { level: 1 }).filter({ hasText: text })

  /** Somebody changes the bucket. */
  async function damage(change: object, more = ''): Promise<void> {
    const { agent } = opened()
    const { items } = await agent.ask('GET', 'resources?stack=boards&limit=10')
    const { actual } = items.find((one: { address: string }) => one.address === 'Bucket/raw')
    await agent.ask('PUT', `resources/Bucket/raw?stack=boards${more}`, { desired: { ...actual, ...change } })
    // It has the stack checked. In a closed window, the stack does not become synced, and the wait ends late.
    await agent.ask('POST', 'stacks/boards/wait', { timeoutMs: 5_000 })
    await expect.poll(async () => (await agent.ask('GET', 'stacks/boards/drift')).total).toBe(1)
  }

  beforeAll(async () => {
    const { agent } = opened()
    const settings = { drift: 'report', driftInterval: '1d', dataLoss: 'allow' }
    await agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }], ...settings })
    await agent.ask('PUT', 'stacks/boards/package', { files: [{ path: 'package.yml', text: bucket('raw', 7_200) }] })
    await agent.ask('POST', 'stacks/boards/wait', { timeoutMs: 20_000 })
  })

  test('says that there is none, and when the last check was', async () => {
    const { agent, page } = opened()
    await page.goto(`${agent.url}/stacks/boards/drift`)
    await heading('No drift').waitFor()
    await page.getByText(/local has what was applied\. Last checked/).waitFor()
  })

  test('is not known after somebody wrote to the target, and a check writes nothing', async () => {
    const { agent, browser, page } = opened()
    await agent.type('resource', 'edit', 'Bucket/raw', '--set', 'description=by hand', '--yes')
    await heading('Not known yet').waitFor()
    await page.getByRole('button', { name: 'Check now' }).click()
    await heading('1 resource differs on local').waitFor()
    await page.getByRole('status').getByText('1 resource differs').waitFor()
    expect(await state()).toBe('Drifted')
    browser.errors.length = 0 // the browser reports the answer 409
    await agent.type('sync', 'boards')
    await heading('No drift').waitFor()
  })

  test('shows what the target has and what was applied, from what the check stored', async () => {
    const { page } = opened()
    const planned: string[] = []
    page.on('request', (request) => request.method() === 'POST' && planned.push(request.url()))
    await damage({ description: 'by hand', retentionRules: [{ type: 'expire', everySeconds: 86_400 }] })
    await heading('1 resource differs on local').waitFor()
    await page.getByText(/Found .* last checked/).waitFor()
    const field = page.locator('.drift-field', { hasText: 'everySeconds' })
    expect(await field.locator('del').textContent()).toBe('86400')
    expect(await field.locator('ins').textContent()).toBe('7200')
    expect(await page.getByText('Leave as is').count()).toBe(0) // it only reports drift
    expect(planned).toEqual([])
    expect(await accessibilityFindings(page)).toEqual([])
  })

  test('leaves a field to others, after it says what the new setting corrects, too', async () => {
    const { agent, page } = opened()
    await page.getByRole('button', { name: 'Leave to others: description of raw' }).click()
    const question = page.getByRole('dialog')
    await question.getByText('The run of this setting corrects what else differs: 1 difference.').waitFor()
    await question.getByText('gitmoor stack set boards --ignore Bucket:description').waitFor()
    await question.getByRole('button', { name: 'Leave to others' }).click()
    await heading('No drift').waitFor()
    expect((await agent.ask('GET', 'stacks/boards')).spec.ignore).toEqual([{ family: 'Bucket', path: 'description' }])
    const { items } = await agent.ask('GET', 'resources?stack=boards&limit=10')
    expect(items[0].actual).toMatchObject({ description: 'by hand', retentionRules: [{ everySeconds: 7_200 }] })
  })

  test('leaves drift as it is that a closed window keeps from being corrected, and takes that back', async () => {
    const { agent, page } = opened()
    const windows = [{ kind: 'deny', schedule: '* * * * *', duration: '1h' }]
    await agent.ask('PATCH', 'stacks/boards', { drift: 'correct', windows })
    const change = { retentionRules: [{ type: 'expire', everySeconds: 86_400 }] }
    await damage(change, '&overrideWindow=true&why=test')
    await page.getByRole('button', { name: 'Leave as is' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave as is' }).click()
    await page.getByText('This stack only reports drift.').waitFor()
    expect((await agent.ask('GET', 'stacks/boards')).spec.drift).toBe('report')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('gitmoor corrects it by itself.').waitFor()
    await agent.ask('PATCH', 'stacks/boards', { drift: 'report', windows: [] })
    await agent.ask('POST', 'stacks/boards/sync', {})
    await heading('No drift').waitFor()
  })

  test('corrects drift by keyboard alone', async () => {
    const { page } = opened()
    await damage({ retentionRules: [{ type: 'expire', everySeconds: 86_400 }] })
    await page.getByRole('button', { name: 'Correct' }).focus()
    await page.keyboard.press('Enter')
    await heading('No drift').waitFor()
    expect(await state()).toBe('Synced')
  })
})
