// Phones: 44 px for fingers, the reason below its link; and the lanes of many channels.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../e2e/until.js'
import { accessibilityFindings, describeInBrowser, showView } from '../in-browser.js'
import { bucket } from '../open-page.js'

const refs = Array.from({ length: 11 }, (_, at) => `release-${String(at).padStart(2, '0')}`)

describeInBrowser('with eleven channels', (opened) => {
  beforeAll(async () => {
    const { agent } = opened()
    const repository = join(agent.directory, 'fleet')
    const git = gitIn(repository)
    execFileSync('git', ['init', '--quiet', '--template=', repository], { env: environment })
    writeFileSync(join(repository, 'package.yml'), bucket('raw', 7_200))
    git('add', '--all')
    git('commit', '--quiet', '--message', 'First')
    for (const ref of refs) git('branch', ref)
    for (const ref of refs)
      await agent.ask('POST', 'stacks', { name: `at-${ref}`, sources: [{ url: repository, ref }] })
    await agent.ask('POST', 'stacks', { name: 'broken', sources: [{ url: repository, ref: 'gone' }] })
    await agent.ask('POST', `stacks/at-${refs.at(-1)}/wait`, { timeoutMs: 20_000 })
    await agent.ask('POST', 'channels/pin', { channel: refs.at(-1)!, why: 'audit' })
    const state = async (): Promise<string> => (await agent.ask('GET', 'stacks/broken')).status.state
    await until('it failed', async () => (await state()) === 'Failed')
  })

  const lanes = () => opened().page.locator('.lane')

  test('three lanes are folded, with a note of those that are blocked', async () => {
    const { agent, page } = opened()
    await page.goto(`${agent.url}/channels`)
    await expect.poll(() => lanes().count()).toBe(8)
    await page.getByRole('link', { name: '3 more channels, 1 blocked' }).click()
    await expect.poll(() => lanes().count()).toBe(11)
    expect(page.url()).toContain('lanes=all')
    expect(await accessibilityFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'Fold all but 8 channels' }).click()
    await expect.poll(() => lanes().count()).toBe(8)
  })

  test('the chosen channel is never folded', async () => {
    const { page } = opened()
    await showView(opened(), `/channels?channel=${refs.at(-1)}`)
    await page.locator('.lane.on', { hasText: refs.at(-1)!.slice(0, 6) }).waitFor()
    expect(await lanes().count()).toBe(8)
  })

  describe('on a phone', () => {
    beforeAll(() => opened().page.setViewportSize({ width: 375, height: 812 }))

    test('the list of stacks begins with what needs a person', async () => {
      const { page } = opened()
      await showView(opened(), '/stacks')
      await expect.poll(() => page.locator('.stack-table tbody tr').first().textContent()).toContain('broken')
    })

    test('a row of the list has its reason below its name', async () => {
      const { page } = opened()
      await showView(opened(), '/stacks')
      const row = page.locator('.stack-table tbody tr').filter({ hasText: 'broken' })
      await row.getByText('gone').first().waitFor()
      const [name, reason, whole] = await Promise.all([
        row.getByRole('link', { name: 'broken' }).boundingBox(),
        row.locator('.reason-cell .clamp').boundingBox(),
        row.boundingBox(),
      ])
      const below = reason!.y - (name!.y + name!.height)
      expect(below).toBeGreaterThanOrEqual(0)
      expect(below).toBeLessThan(12)
      expect(reason!.y + reason!.height).toBeLessThan(whole!.y + whole!.height)
      expect(reason!.width).toBeGreaterThan(300)
    })

    test('the overview has four states on a line, and no button that repeats the link of its entry', async () => {
      const { page } = opened()
      await showView(opened(), '/')
      await page.locator('.needs .reason').waitFor()
      expect(await page.locator('.legend a').count()).toBeLessThanOrEqual(4)
      expect((await page.locator('.legend').boundingBox())!.height).toBeLessThan(60)
      expect(await page.getByRole('link', { name: 'See why: broken' }).count()).toBe(0)
    })

    test('the reason is directly below the link that it breaks', async () => {
      const { page } = opened()
      await showView(opened(), '/stacks/broken')
      const broken = page.locator('.chain li.broken')
      await broken.locator('.because').waitFor()
      const [link, reason, next] = await Promise.all([
        broken.locator('.link').boundingBox(),
        broken.locator('.because').boundingBox(),
        page.locator('.chain li.broken + li .link').boundingBox(),
      ])
      expect(reason!.y - (link!.y + link!.height)).toBeLessThan(24)
      expect(next!.y).toBeGreaterThan(reason!.y + reason!.height)
    })

    test.each([
      '/',
      '/stacks',
      '/new-stack',
      '/stacks/broken',
      '/channels',
      '/history',
      '/targets',
      '/webhooks',
      '/doctor',
    ])('what a finger may press on %s is 44 px wide and high, and nothing scrolls sideways', async (path) => {
      const { page } = opened()
      await showView(opened(), path)
      expect(await smallTargets(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    })

    test('a branch of two lines is above what the chain says about it', async () => {
      const { agent, page } = opened()
      const source = { url: join(agent.directory, 'fleet'), ref: 'w'.repeat(60) }
      await agent.ask('POST', 'stacks', { name: 'wide', sources: [source] })
      await showView(opened(), '/stacks/wide')
      const link = page.locator('.chain .link', { hasText: 'Channel' })
      const [lines, sub] = await Promise.all([
        link.locator('.link-main a').evaluate((element) => {
          const range = element.ownerDocument.createRange()
          range.selectNodeContents(element)
          return [...range.getClientRects()].map(({ bottom }) => bottom)
        }),
        link.locator('.link-sub').boundingBox(),
      ])
      expect(lines).toHaveLength(2)
      expect(Math.max(...lines)).toBeLessThanOrEqual(sub!.y + 1)
    })
  })
})

const person = { NAME: 'Ann', EMAIL: 'ann@example.com' }
const environment = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    Object.entries(person).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]),
  ),
}

function gitIn(directory: string): (...words: readonly string[]) => void {
  return (...words) => void execFileSync('git', ['-C', directory, ...words], { env: environment })
}

/** Controls that a finger hits in less than 44 px. Links within a sentence are left out. */
function smallTargets(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const { document, getComputedStyle } = globalThis as any
    const least = 44
    const found: string[] = []
    for (const control of document.querySelectorAll('a[href], button, input, select, textarea, summary')) {
      const target = control.type === 'checkbox' ? (control.closest('label') ?? control) : control
      const sentence = control.closest('p')
      const isInSentence =
        getComputedStyle(control).display === 'inline' &&
        sentence !== null &&
        sentence.textContent !== control.textContent
      if (control.closest('.skip') !== null || !control.checkVisibility() || isInSentence) continue
      target.scrollIntoView({ block: 'center', inline: 'center' })
      const { x, y, width, height } = target.getBoundingClientRect()
      if (width >= least && height >= least) continue
      const reach = (dx: number, dy: number): number => {
        let pixels = 0
        while (pixels <= least) {
          const hit = document.elementFromPoint(x + width / 2 + dx * pixels, y + height / 2 + dy * pixels)
          if (hit === null || !target.contains(hit)) break
          pixels++
        }
        return pixels
      }
      if (reach(-1, 0) + reach(1, 0) >= least && reach(0, -1) + reach(0, 1) >= least) continue
      found.push(`${control.tagName} ${control.textContent.slice(0, 30)} ${Math.round(width)}x${Math.round(height)}`)
    }
    return found
  })
}
