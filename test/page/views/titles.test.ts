// The title of a tab.
import { expect, test } from 'vitest'
import { describeInBrowser, showView } from '../in-browser.js'

describeInBrowser('the title of a tab', (opened) => {
  const titles: Readonly<Record<string, string>> = {
    '/': 'gitmoor',
    '/stacks': 'Stacks – gitmoor',
    '/stacks/rel1': 'rel1 – gitmoor',
    '/stacks/rel1/plan': 'Plan of rel1 – gitmoor',
    '/stacks/rel1/drift': 'Drift of rel1 – gitmoor',
    '/stacks/rel1/compare': 'Compare runs of rel1 – gitmoor',
    '/stacks/rel1/runs/12': 'Run 12 of rel1 – gitmoor',
    '/stacks/rel1/resources/Bucket/raw': 'Bucket/raw of rel1 – gitmoor',
    '/new-stack': 'New stack – gitmoor',
    '/channels': 'Channels – gitmoor',
    '/channels?channel=https%3A%2F%2Fexample.com%2Ffleet.git%23stable': 'stable of fleet – gitmoor',
    '/channels/promote': 'Promote – gitmoor',
    '/history': 'History – gitmoor',
    '/targets/local': 'local – gitmoor',
    '/settings': 'Settings – gitmoor',
  }

  test('names the view, and its stack', async () => {
    const { browser, page } = opened()
    for (const [path, title] of Object.entries(titles)) {
      await showView(opened(), path)
      await expect.poll(() => page.title(), { message: path }).toBe(title)
    }
    await page.goto('about:blank') // requests end
    browser.errors.length = 0 // the browser reports answers that there is no such stack
  })
})
