// An agent and a browser for the tests of one file. Without Chromium, the file is one skipped test, or, with CI=1, one
// that fails.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  describeWithChromium,
  openBrowser,
  openPage,
  token,
  type Browser,
  type PageOptions,
  type PageUnderTest,
} from './open-page.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Opened {
  readonly agent: PageUnderTest
  readonly browser: Browser
  /** A tab that is signed in. */
  readonly page: Page
}

/** `tests` declares tests; `opened()` is there while they run. The last one: no error in the console. */
export function describeInBrowser(
  title: string,
  tests: (opened: () => Opened) => void,
  options: PageOptions = {},
): void {
  describeWithChromium(title, () => {
    let opened: Opened | undefined
    beforeAll(async () => {
      const [agent, browser] = await Promise.all([openPage(options), openBrowser()])
      await browser.context.request.post(`${agent.url}/api/v1/session`, { data: { token, name: 'page' } })
      opened = { agent, browser, page: await browser.newPage() }
    })
    afterAll(async () => {
      await opened?.browser.close()
      await opened?.agent.close()
    })
    tests(() => opened!)
    test('reports no error and no violation of its policy', () => {
      expect(opened!.browser.errors.join('\n')).toBe('')
    })
  })
}

/**
 * Opens a view, until it has read what it shows, or says why it cannot. In an open page without a load, as a link
 * does: a load costs three times as much.
 */
export async function showView({ agent, page }: Opened, path: string): Promise<void> {
  if (page.url().startsWith(`${agent.url}/`)) await page.evaluate(follow, path)
  else await page.goto(agent.url + path)
  await page.locator('body:has(main :is(h1, .call)):not(:has([aria-busy=true]))').waitFor()
}

function follow(path: string): void {
  const { history, dispatchEvent, scrollTo, PopStateEvent } = globalThis as any
  history.pushState({}, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

/** No findings of axe-core, and no scrolling sideways: wide and light, narrow and dark. */
export async function expectFit(page: Page): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [375, 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    expect(await accessibilityFindings(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  }
}

/**
 * What axe-core finds at levels A and AA, and landmarks with the same name. `colors`: only by the rules that depend on
 * them.
 */
export async function accessibilityFindings(page: Page, what: 'all' | 'colors' = 'all'): Promise<readonly string[]> {
  // As a file of the page would: the policy refuses scripts of others, so it runs in the world of the test.
  const session = await page.context().newCDPSession(page)
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    return answer.result.value
  }
  if ((await evaluate('typeof axe')) === 'undefined') await evaluate(`${axe};0`)
  const levels = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
  const rules = { 'landmark-unique': { enabled: true } }
  const every = { runOnly: levels, rules, resultTypes: ['violations'], preload: false }
  const options = what === 'all' ? every : { ...every, runOnly: ['color-contrast', 'link-in-text-block'], rules: {} }
  const found = await evaluate(`axe.run(document, ${JSON.stringify(options)})
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ' ' + node.target)))`)
  await session.detach()
  return found as readonly string[]
}
