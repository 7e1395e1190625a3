// The title of a tab.
import { expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'

describeInBrowser('the title of a tab', (opened) => {
  test.each([
    ['', 'gitmoor'],
    ['stacks', 'Stacks – gitmoor'],
    ['stacks/rel1', 'rel1 – gitmoor'],
    ['stacks/rel1/plan', 'Plan of rel1 – gitmoor'],
    ['stacks/rel1/drift', 'Drift of rel1 – gitmoor'],
    ['stacks/rel1/compare', 'Compare runs of rel1 – gitmoor'],
    ['stacks/rel1/runs/12', 'Run 12 of rel1 – gitmoor'],
    ['stacks/rel1/resources/Bucket/raw', 'Bucket/raw of rel1 – gitmoor'],
    ['new-stack', 'New stack – gitmoor'],
    ['channels', 'Channels – gitmoor'],
    ['channels?channel=https%3A%2F%2Fexample.com%2Ffleet.git%23stable', 'stable of fleet – gitmoor'],
    ['channels/promote', 'Promote – gitmoor'],
    ['history', 'History – gitmoor'],
    ['targets/local', 'local – gitmoor'],
    ['settings', 'Settings – gitmoor'],
  ])('of /%s is %s', async (path, title) => {
    const { agent, browser, page } = opened()
    await page.goto(`${agent.url}/${path}`)
    await expect.poll(() => page.title()).toBe(title)
    await page.goto('about:blank')
    browser.errors.length = 0 // the browser reports answers that there is no such stack
  })
})
