// Every view: WCAG 2.2 A and AA in both themes, wide and narrow, and no scrolling sideways from 320 to 3,840 px.
import { beforeAll, expect, test } from 'vitest'
import { accessibilityFindings, describeInBrowser, showView } from '../in-browser.js'
import { makeSmallFleet, type SmallFleet } from '../small-fleet.js'

/** Only what depends on colors differs between the themes of one width. */
const everyLook = [
  [1280, 'light', 'all'],
  [1280, 'dark', 'colors'],
  [375, 'dark', 'all'],
  [375, 'light', 'colors'],
] as const

describeInBrowser('every view', (opened) => {
  let fleet: SmallFleet
  beforeAll(async () => void (fleet = await makeSmallFleet(opened().agent)))

  const at = (channel: string): string => encodeURIComponent(channel)
  const views: Readonly<Record<string, () => string>> = {
    'the overview': () => '/',
    'the stacks': () => '/stacks',
    'the stacks by target': () => '/stacks?group=target',
    'a new stack': () => '/new-stack?name=reports&from=https%3A%2F%2Fgit.example%2Ffleet.git&ref=stable',
    'a synced stack': () => '/stacks/synced',
    'a failed stack': () => '/stacks/failed',
    'a stack that needs approval': () => '/stacks/approval',
    'a drifted stack': () => '/stacks/drifted',
    'a suspended stack': () => '/stacks/suspended',
    'a plan': () => '/stacks/approval/plan',
    drift: () => '/stacks/drifted/drift',
    'a run': () => `/stacks/synced/runs/${fleet.runs[1]}`,
    'a comparison': () => `/stacks/synced/compare?a=${fleet.runs[0]}&b=${fleet.runs[1]}`,
    'a resource': () => '/stacks/synced/resources/Bucket/synced-raw',
    'the channels': () => `/channels?channel=${at(fleet.stable)}`,
    'a promotion': () => `/channels/promote?from=${at(fleet.stable)}&to=${at(fleet.beta)}`,
    'the history': () => '/history',
    'the targets': () => '/targets',
    'a target': () => '/targets/local',
    'the webhooks': () => '/webhooks',
    'the doctor': () => '/doctor',
    'the settings': () => '/settings',
  }

  test.each(Object.keys(views))('%s', async (view) => {
    const { page } = opened()
    await page.setViewportSize({ width: 1280, height: 800 })
    await showView(opened(), views[view]!())
    for (const [width, colorScheme, what] of everyLook) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      expect([colorScheme, width, await accessibilityFindings(page, what)]).toEqual([colorScheme, width, []])
    }
    for (const width of [375, 320, 3840, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect([width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([width, width])
    }
  })
})
