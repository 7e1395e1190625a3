// What people do on the page, by keyboard alone: keys are pressed, and nothing is clicked or focused by the test.
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser, showView } from '../in-browser.js'
import { bucket, token } from '../open-page.js'
import { makeSmallFleet, type SmallFleet } from '../small-fleet.js'

/** Tab stops until the control, on any view. */
const mostStops = 120

describeInBrowser('by keyboard alone', (opened) => {
  let fleet: SmallFleet
  let page: Page
  beforeAll(async () => {
    fleet = await makeSmallFleet(opened().agent)
    ;({ page } = opened())
  })

  const state = async (name: string): Promise<string> =>
    (await opened().agent.ask('GET', `stacks/${name}`)).status.state
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name }).and(page.locator(':enabled'))
  const link = (name: string | RegExp): Locator => page.getByRole('link', { name })

  /** Presses Tab until it has the focus. */
  async function tabTo(control: Locator): Promise<void> {
    await control.first().waitFor()
    for (let stop = 0; stop < mostStops; stop++) {
      await page.keyboard.press('Tab')
      if (await control.first().evaluate((element) => element === element.ownerDocument.activeElement)) return
    }
    throw new Error(`Tab does not reach ${String(control)}.`)
  }

  async function press(control: Locator): Promise<void> {
    await tabTo(control)
    await page.keyboard.press('Enter')
  }

  /** Answers the question of the dialog. */
  async function confirm(why?: string): Promise<void> {
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    if (why !== undefined) await page.keyboard.type(why)
    await press(dialog.locator('.btn:not([type=button])'))
    await dialog.waitFor({ state: 'detached' })
  }

  test('signs out and in', async () => {
    await page.goto(opened().agent.url)
    await page.locator('main h1').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press(',')
    await press(button('Sign out'))
    await page.getByLabel('Token').waitFor()
    await expect.poll(() => page.getByLabel('Token').evaluate((field) => field.matches(':focus'))).toBe(true)
    await page.keyboard.type(token)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('bea')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'need attention' }).waitFor()
  })

  test('finds the reason, and approves after the new plan of a stale one is read', async () => {
    await press(link('Review plan: approval'))
    await page.getByRole('heading', { level: 1, name: '1 removed on local' }).waitFor()
    await page.getByText('Removing Bucket/approval-kept deletes its data.').waitFor()
    await page.getByRole('checkbox', { name: 'approval-kept' }).check() // of this plan only
    const { beta: _, repository } = fleet
    const files = { 'approval/package.yml': bucket('approval-other', 7_200) }
    await repository.commit({ files, tags: ['stable'] })
    await opened().agent.type('sync', 'approval', '--no-wait')
    await page.getByText('The plan changed while you read it.').waitFor()
    await press(button('I have read the new plan'))
    await page.keyboard.press('a')
    for (const name of ['approval-kept', 'approval-raw']) {
      await tabTo(page.getByRole('checkbox', { name }).and(page.locator(':not(:checked)')))
      await page.keyboard.press('Space')
    }
    await press(button(/^Approve/))
    await page.locator('h1 .state', { hasText: 'Synced' }).waitFor()
    expect(await state('approval')).toBe('Synced')
  })

  test('corrects drift', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await press(link('Compare: drifted'))
    await page.getByRole('heading', { level: 1, name: '1 resource differs' }).waitFor()
    await press(button('Correct'))
    await page.getByRole('heading', { level: 1, name: 'No drift' }).waitFor()
    expect(await state('drifted')).toBe('Synced')
  })

  test('pins and unpins a channel', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await press(link(/^Channel beta/))
    await press(button('Pin'))
    await confirm('trade fair')
    await page.getByText('trade fair').waitFor()
    await press(button('Unpin'))
    await confirm()
    await button('Pin').waitFor()
  })

  test('rolls back', async () => {
    await page.keyboard.press('/')
    await expect.poll(() => page.getByRole('combobox').evaluate((field) => field.matches(':focus'))).toBe(true)
    await page.keyboard.type('synced')
    await page.getByRole('option', { name: /^synced/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/stacks/synced')
    await press(button(/^Roll back: run/))
    await confirm('the alert pages at night')
    await page.locator('h1 .state', { hasText: 'Needs approval' }).waitFor()
    await press(button('End the rollback'))
    await confirm()
    await page.locator('h1 .state', { hasText: 'Synced' }).waitFor()
  })

  test('promotes, and vetoes the move', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await press(link(/^Channel beta/))
    await press(link('Promote from here'))
    await tabTo(page.getByLabel('To the tag'))
    await page.keyboard.type('stable')
    await page.getByRole('heading', { name: 'Why' }).waitFor()
    await tabTo(page.getByLabel('Why'))
    await page.keyboard.type('tried on beta')
    await press(button(/^Promote stable/))
    await page.waitForURL('**/channels?channel=*')
    await page.getByRole('row', { name: /tried on beta/ }).waitFor()
    await press(button(/^Veto: move/))
    await confirm('a gap in the data')
    await page.getByRole('row', { name: /a gap in the data/ }).waitFor()
    const { items } = await opened().agent.ask('GET', 'channels/moves?limit=1')
    expect(items[0].decision).toMatchObject({ kind: 'veto', by: 'bea' })
  })

  test.each([
    ['/', '.needs .name a'],
    ['/history', '.history-rows a'],
    ['/channels', '.lane a'],
    ['/targets', 'tbody td:first-child a'],
    ['/stacks/failed', '.runs a'],
  ])('goes through the entries of %s with j and k, and Enter opens one', async (path, entries) => {
    await showView(opened(), path)
    const first = page.locator(entries).first()
    await first.waitFor()
    const hasFocus = (): Promise<boolean> =>
      first.evaluate((element) => element === element.ownerDocument.activeElement)
    await page.keyboard.press('j')
    expect(await hasFocus()).toBe(true)
    await page.keyboard.press('j')
    expect(await hasFocus()).toBe((await page.locator('[data-entries] > *').count()) === 1)
    await page.keyboard.press('k')
    expect(await hasFocus()).toBe(true)
    await page.keyboard.press('Escape')
    expect(page.url()).toBe(opened().agent.url + path)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname + url.search !== path)
  })

  test('creates a stack', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await press(link('New stack'))
    await tabTo(page.getByRole('textbox', { name: 'Name' }))
    await page.keyboard.type('reports')
    await tabTo(page.getByLabel('Source'))
    await page.keyboard.type('files')
    await press(button('Create the stack'))
    await page.waitForURL('**/stacks/reports')
    expect(await state('reports')).toBe('Waiting')
  })
})
