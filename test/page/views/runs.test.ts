// Runs in a browser: the phases of one, and what two declare differently.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeInBrowser, expectFit, showView, type Opened } from '../in-browser.js'
import { bucket, type PageUnderTest } from '../open-page.js'

describeInBrowser('the page of runs', (opened) => {
  let agent: PageUnderTest
  let browser: Opened['browser']
  let page: Page
  /** Of the stack, the oldest first. */
  let runs: readonly string[]

  beforeAll(async () => {
    ;({ agent, browser, page } = opened())
    await agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] })
    await push(bucket('raw', 7_200))
    await push([bucket('raw', 14_400), bucket('new', 3_600)].join('\n---\n'))
    await agent.ask('POST', 'stacks/boards/sync', {})
    await agent.ask('POST', 'stacks/boards/wait', { timeoutMs: 10_000 })
    const { items } = await agent.ask('GET', 'stacks/boards/runs')
    runs = items
      .filter(({ revision, outcome }: any) => revision !== '' && outcome !== null)
      .map(({ id }: any) => id)
      .reverse()
  })

  async function push(text: string): Promise<void> {
    await agent.ask('PUT', 'stacks/boards/package', { files: [{ path: 'package.yml', text }] })
    await agent.ask('POST', 'stacks/boards/wait', { timeoutMs: 10_000 })
  }

  const heading = (text: string | RegExp) => page.getByRole('heading', { level: 1 }).filter({ hasText: text })

  test('shows the phases of a run with their times, and its steps', async () => {
    await showView(opened(), `/stacks/boards/runs/${runs[1]}`)
    await heading(`Run ${runs[1]}`).waitFor()
    const phases = page.getByRole('list', { name: 'Phases' }).getByRole('listitem')
    await expect.poll(() => phases.allInnerTexts()).toHaveLength(4)
    await expect
      .poll(async () => (await phases.allInnerTexts()).map((text) => text.split('\n')[0]))
      .toEqual(['Queued', 'Fetched', 'Planned', 'Applied'])
    expect(await phases.last().innerText()).toMatch(/took \d+ m?s$/)
    const steps = page.getByRole('region', { name: 'Steps' }).getByRole('listitem')
    await expect.poll(() => steps.allInnerTexts()).toHaveLength(2)
    expect((await steps.allInnerTexts()).join(' ')).toMatch(/done\s+create Bucket\/new/)
  })

  test('compares two runs that were selected in the history', async () => {
    await showView(opened(), '/stacks/boards')
    await page.getByRole('link', { name: 'Compare two runs' }).click()
    await page.getByLabel(`Compare run ${runs[1]}`).check()
    await page.getByText(`Run ${runs[1]} is selected.`).waitFor()
    await page.getByLabel(`Compare run ${runs[0]}`).check()
    await page.getByRole('link', { name: `Compare runs ${runs[0]} and ${runs[1]}` }).click()
    await heading('1 new, 1 changed').waitFor()
    expect(new URL(page.url()).search).toBe(`?a=${runs[0]}&b=${runs[1]}`)
    await page.getByText('4 h').waitFor()
    await page.getByRole('button', { name: `Copy: gitmoor stack compare boards ${runs[0]} ${runs[1]}` }).waitFor()
  })

  test('compares two runs of one stack that were selected in the history of all stacks', async () => {
    await agent.ask('POST', 'stacks', { name: 'edge', sources: [{ kind: 'inline' }] })
    const files = [{ path: 'package.yml', text: bucket('edge', 3_600) }]
    const { id } = await agent.ask('PUT', 'stacks/edge/package', { files })
    await agent.ask('POST', 'stacks/edge/wait', { timeoutMs: 10_000 })
    await showView(opened(), '/history')
    await page.getByRole('link', { name: 'Compare two runs' }).click()
    await page.getByLabel(`Compare run ${id} of edge`).check()
    await page.getByLabel(`Compare run ${runs[1]} of boards`).check()
    await page.getByText(`Runs of one stack can be compared. Run ${runs[1]} is of boards, run ${id} of edge.`).waitFor()
    await page.getByLabel(`Compare run ${runs[0]} of boards`).check()
    expect(await page.getByLabel(`Compare run ${id} of edge`).isChecked()).toBe(false)
    await page.getByRole('link', { name: `Compare runs ${runs[0]} and ${runs[1]}` }).click()
    await heading('1 new, 1 changed').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Compare two runs' }).waitFor()
  })

  test('says that two runs declare the same, and opens a comparison from a run', async () => {
    await showView(opened(), `/stacks/boards/compare?a=${runs[1]}&b=${runs[1]}`)
    await heading('No differences: both runs declare the same').waitFor()
    await showView(opened(), `/stacks/boards/runs/${runs[1]}`)
    await page.getByRole('link', { name: 'Compare', exact: true }).click()
    await heading('1 new, 1 changed').waitFor()
  })

  test('shows settings that differ, if the packages do not', async () => {
    await agent.ask('PATCH', 'stacks/edge', { dataLoss: 'allow', values: { room: 'hall' } })
    const { id } = await agent.ask('POST', 'stacks/edge/sync', {})
    await agent.ask('POST', 'stacks/edge/wait', { timeoutMs: 10_000 })
    await showView(opened(), `/stacks/edge/compare?b=${id}`)
    await heading('The same resources; 2 settings changed').waitFor()
    const settings = page.getByRole('region', { name: 'Settings' })
    await expect
      .poll(async () => (await settings.locator('.field-row').allInnerTexts()).map((text) => text.split(/\s+/)))
      .toEqual([
        ['dataLoss', 'refuse', 'allow'],
        ['values.room', 'hall'],
      ])
    await expectFit(page)
  })

  test('says why it cannot compare', async () => {
    await showView(opened(), `/stacks/boards/compare?a=999&b=${runs[1]}`)
    await page.getByText('boards has no run 999.').waitFor()
    browser.errors.length = 0 // the browser reports the answer 404
  })

  test.each([
    ['a run', () => `/stacks/boards/runs/${runs[1]}`],
    ['a comparison', () => `/stacks/boards/compare?a=${runs[0]}&b=${runs[1]}`],
    ['a selection of runs', () => `/stacks/boards?compare=${runs[0]}:boards`],
    ['a selection of runs of all stacks', () => `/history?compare=${runs[0]}:boards,999:edge`],
  ])('%s has no findings of axe-core and does not scroll sideways', async (_what, path) => {
    await showView(opened(), path())
    await expectFit(page)
  })
})
