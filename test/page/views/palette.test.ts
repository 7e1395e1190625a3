// Search or act: what people type, and what comes first.
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser, showView } from '../in-browser.js'
import { makeSmallFleet } from '../small-fleet.js'

describeInBrowser('the palette', (opened) => {
  let commit: string
  let run: string
  beforeAll(async () => {
    const { agent } = opened()
    const fleet = await makeSmallFleet(agent)
    for (const name of ['webhooks-old', 'web'])
      await agent.ask('POST', 'stacks', { name, sources: [{ kind: 'inline' }] })
    const { items } = await agent.ask('GET', 'stacks/synced/runs?limit=1')
    commit = /sha1:([0-9a-f]{7})/.exec(items[0].revision)![1]!
    run = items[0].id
    expect(fleet.runs).toContain(run)
  })

  /** Types into the palette of a view, until its first entry is this. */
  async function find(words: string, first: string | RegExp, view = '/stacks/drifted'): Promise<void> {
    const { page } = opened()
    await showView(opened(), view)
    await page.keyboard.press('/')
    const field = page.getByRole('combobox')
    await field.fill(words)
    const text = page.locator('[role=option] span')
    if (typeof first === 'string') await expect.poll(() => text.first().textContent()).toBe(first)
    else await expect.poll(() => text.first().textContent()).toMatch(first)
  }

  test.each([
    ['', 'Compare the drift of drifted'],
    ['sync', 'Sync drifted'],
    ['susp', 'Suspend drifted'],
    ['sync web', 'Sync web'],
    ['web', 'web'],
    ['approve', /^Approve or review the plan of approval$/],
    ['promote', 'Promote'],
    ['veto', /^Veto a move of (beta|stable)$/],
    ['pin', /^Pin (beta|stable)$/],
    ['local', 'Target local'],
    ['beta', 'Channel beta'],
    ['bucket', /^Bucket\/drifted-/],
  ])('finds for %j first %s', async (words, first) => {
    await find(words, first)
    await opened().page.keyboard.press('Escape')
  })

  test('finds the runs of a short commit, and opens one', async () => {
    const { page } = opened()
    await find(commit, new RegExp(`^Run \\d+ of \\w+, ${commit}$`), '/')
    await page.getByRole('option', { name: `Run ${run} of synced` }).click()
    await page.waitForURL(`**/stacks/synced/runs/${run}`)
  })

  test.each([
    ['suspend', 'Suspend drifted'],
    ['sync', 'Sync drifted'],
    ['sync web', 'Sync web'],
    ['resume suspended', 'Resume suspended'],
  ])('asks on %j before it acts: %s', async (words, first) => {
    const { page } = opened()
    let writes = 0
    page.on('request', (request) => void (writes += request.method() === 'GET' ? 0 : 1))
    await find(words, first)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `${first}?` }).waitFor()
    expect(writes).toBe(0)
    await page.getByRole('button', { name: 'Not now' }).click()
  })
})
