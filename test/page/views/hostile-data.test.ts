// Text from outside that attacks: nothing of it runs, nothing moves the layout, and the console stays empty.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../../e2e/until.js'
import type { Repository } from '../../git-server.js'
import { describeInBrowser, showView } from '../in-browser.js'
import { repositoryOf } from '../open-page.js'

const attacks = [
  '<script>globalThis.ran = 1</script>',
  '<img src=x onerror="globalThis.ran = 2">',
  '"><svg onload=globalThis.ran=3>',
  'javascript:globalThis.ran=4',
  '{{constructor.constructor("globalThis.ran = 5")()}}',
  '\u202egnihton \u2066\u200b',
].join(' ')
const wide = 'W'.repeat(300)
const longTarget = `t${'w'.repeat(62)}`

const configuration = (root: string): object => ({
  allow: { directories: [join(root, 'srv')] },
  targets: { local: { platform: 'embedded' }, [longTarget]: { platform: 'embedded', organisation: 'long' } },
})

describeInBrowser(
  'hostile data',
  (opened) => {
    let repository: Repository
    let stable: string

    const bucket = (name: string, description: string): string =>
      JSON.stringify({
        apiVersion: 'influxdata.com/v2alpha1',
        kind: 'Bucket',
        metadata: { name },
        spec: {
          name: `${name} ${attacks.replaceAll('"', "'")}`,
          description,
          retentionRules: [{ type: 'expire', everySeconds: 7_200 }],
        },
      })
    const push = (...buckets: readonly string[]): Promise<string> =>
      repository.commit({
        files: { 'package.yml': buckets.join('\n---\n') },
        tags: ['stable'],
        message: `${attacks}\n\n${wide}`,
      })

    beforeAll(async () => {
      const { agent } = opened()
      repository = await repositoryOf(agent)
      await push(bucket('raw', attacks), bucket('wide', wide))
      const source = { url: repository.directory, ref: 'stable' }
      await agent.ask('POST', 'stacks', { name: 'boards', displayName: attacks, sources: [source], interval: '1d' })
      await agent.ask('POST', 'stacks/boards/wait', { timeoutMs: 20_000 })
      await push(bucket('raw', `${attacks} ${wide}`))
      await agent.type('sync', 'boards', '--no-wait')
      const state = async (): Promise<string> => (await agent.ask('GET', 'stacks/boards')).status.state
      await until('the plan needs approval', async () => (await state()) === 'Needs approval')
      await agent.ask('POST', 'stacks', {
        name: 'broken',
        sources: [{ url: repository.directory, ref: 'stable', path: attacks.slice(0, 60) }],
      })
      await agent.ask('POST', 'channels/pin', { channel: 'stable', why: `${attacks} ${wide}` })
      await agent.ask('POST', 'stacks', { name: 'paused', sources: [{ kind: 'inline' }] })
      await agent.ask('POST', 'stacks/paused/suspend', { why: `${attacks} ${wide}` })
      stable = encodeURIComponent((await agent.ask('GET', 'channels')).items[0].name)
    })

    test.each([
      ['/', () => '/'],
      ['/stacks', () => '/stacks'],
      ['a stack', () => '/stacks/boards'],
      ['a broken stack', () => '/stacks/broken'],
      ['a suspended stack', () => '/stacks/paused'],
      ['a plan', () => '/stacks/boards/plan'],
      ['a resource', () => '/stacks/boards/resources/Bucket/raw'],
      ['the channels', () => `/channels?channel=${stable}`],
      ['the history', () => '/history'],
      ['a target', () => '/targets/local'],
      ['an address', () => `/stacks/${encodeURIComponent(attacks)}`],
      ['a filter', () => `/stacks?q=${encodeURIComponent(attacks)}&target=${encodeURIComponent(attacks)}`],
    ])('in %s does nothing, and moves nothing', async (what, path) => {
      const { browser, page } = opened()
      for (const width of [1280, 375]) {
        await page.setViewportSize({ width, height: 800 })
        await showView(opened(), path())
        expect(await page.evaluate('globalThis.ran')).toBeUndefined()
        expect(
          await page.locator('main :is(script, img, iframe, [onerror], [onload], [href^="javascript"])').count(),
        ).toBe(0)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        expect(await page.locator('main').innerText()).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
        if (width === 1280)
          expect(await page.locator('nav.side').boundingBox()).toMatchObject({ x: 0, y: 0, height: 800 })
      }
      if (!/address|filter/.test(what)) return
      await page.goto('about:blank') // requests end
      // The browser reports requests that the agent refuses.
      expect(browser.errors.filter((text) => !/\b(400|404)\b/.test(text))).toEqual([])
      browser.errors.length = 0
    })

    test('of names as long as they may be moves nothing, and hides no column', async () => {
      const { agent, page } = opened()
      const name = `s${'w'.repeat(62)}`
      const [ref, path] = [200, 200].map((length, at) => `${'rp'[at]}${'W'.repeat(length - 1)}`) as [string, string]
      await repository.commit({ files: { [`${path}/package.yml`]: bucket('long', 'x') }, branch: ref, message: wide })
      const source = { url: repository.directory, ref, path }
      await agent.ask('POST', 'stacks', { name, target: longTarget, sources: [source], interval: '1d' })
      await agent.ask('POST', `stacks/${name}/wait`, { timeoutMs: 20_000 })
      await agent.ask('POST', `stacks/${name}/suspend`, { why: wide })
      const failed = `f${'w'.repeat(62)}`
      const gone = [{ ...source, path: `${path.slice(1)}x` }]
      await agent.ask('POST', 'stacks', { name: failed, target: longTarget, sources: gone, interval: '1d' })
      await agent.ask('POST', `stacks/${failed}/wait`, { timeoutMs: 20_000 })
      const { items } = await agent.ask('GET', `stacks/${name}/runs`)
      const tooWideAt: string[] = []
      for (const view of [
        '/',
        '/stacks',
        `/stacks/${name}`,
        `/stacks/${failed}`,
        `/stacks/${name}/plan`,
        `/stacks/${name}/runs/${items[0].id}`,
        `/channels?channel=${encodeURIComponent(ref)}`,
        '/history',
        `/targets/${longTarget}`,
        '/targets',
        '/settings',
        `/new-stack?name=${name}&ref=${ref}&path=${path}`,
      ])
        for (const width of [1280, 375]) {
          await page.setViewportSize({ width, height: 800 })
          await showView(opened(), view)
          const found = await tooWide(page, width)
          if (found !== '') tooWideAt.push(`${view} at ${width} px: ${found}`)
        }
      expect(tooWideAt.join('\n')).toBe('')
      await showView(opened(), '/')
      const cell = page.locator('.matrix td a').first()
      await cell.waitFor()
      const box = await cell.boundingBox()
      expect(box!.x + box!.width).toBeLessThan(375)
    })

    test('of 4 MiB in a stack and its plan does not block the page', async () => {
      const { agent, page } = opened()
      const text = bucket('long', '<b>long</b>\n'.repeat(322_000))
      await repository.commit({ files: { 'long/package.yml': text }, branch: 'long' })
      const source = { url: repository.directory, ref: 'long', path: 'long' }
      await agent.ask('POST', 'stacks', { name: 'long', sources: [source], apply: 'approval' })
      const state = async (): Promise<string> => (await agent.ask('GET', 'stacks/long')).status.state
      await expect.poll(state, { timeout: 30_000 }).toBe('Needs approval')
      for (const path of ['/stacks/long', '/stacks/long/plan']) await expectAnswer(page, agent.url + path)
    })
  },
  { configuration },
)

/** Elements that make the page wider than the window. Empty: none. */
function tooWide(page: Page, width: number): Promise<string> {
  return page.evaluate((most) => {
    const { document } = globalThis as any
    if (document.documentElement.scrollWidth <= most) return ''
    const wide = [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > most)
    return wide
      .map((one) => `${one.tagName}.${one.className.baseVal ?? one.className} ${one.textContent.slice(0, 20)}`)
      .slice(0, 12)
      .join(' ')
  }, width)
}

/** It opens, and then still answers to a key. */
async function expectAnswer(page: Page, url: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto(url)
  await page.locator('main h1').first().waitFor()
  await page.keyboard.press('/')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.evaluate('globalThis.ran')).toBeUndefined()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280)
}
