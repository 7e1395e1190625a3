// Long lists: what they read, how fast they scroll, and what events change.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { bucket, isChecked } from '../open-page.js'
import { accessibilityFindings, describeInBrowser, showView } from '../in-browser.js'
import { createMany, nameAt } from '../many-stacks.js'

/** At least more than the 20 pages that a list keeps. */
const many = isChecked ? 10_000 : 3_000

describeInBrowser(`a list of ${many} stacks`, (opened) => {
  beforeAll(() => createMany(opened().agent.store, many))

  const rows = (page: Page) => page.locator('.stack-table tbody tr[aria-rowindex]')
  const row = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('link', { name, exact: true }) })

  /** Each page that it read: `limit after`. */
  function readPages(page: Page): ReadonlySet<string> {
    const found = new Set<string>()
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/api/v1/stacks') found.add(`${searchParams.get('limit')} ${searchParams.get('after') ?? ''}`)
    })
    return found
  }

  /** Until it shows rows, and its stream of events has begun. */
  async function openList(path: string): Promise<void> {
    const { page } = opened()
    await showView(opened(), path)
    await rows(page).first().waitFor()
    await page.locator('.live-live').waitFor()
  }

  test('renders the rows in the window, and reads pages of 100 as it is scrolled', async () => {
    const { agent, page } = opened()
    const read = readPages(page)
    await page.goto(`${agent.url}/stacks?sort=name`)
    await row(page, nameAt(0)).waitFor()
    expect(await rows(page).count()).toBeLessThan(60)
    expect(await page.locator('.stack-table').getAttribute('aria-rowcount')).toBe(String(many + 1))
    expect([...read]).toEqual(['100 '])
    await page.evaluate('scrollTo(0, 150 * 57)')
    await row(page, nameAt(150)).waitFor()
    expect(read.size).toBe(2)
    expect(await heightsOf(page, '.stack-table tbody tr[aria-rowindex]')).toEqual([57])
  })

  test('scrolls to its end, and drops pages on the way', async () => {
    const { page } = opened()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await row(page, nameAt(many - 1)).waitFor()
    expect(await rows(page).count()).toBeLessThan(60)
    await page.evaluate('scrollTo(0, 0)')
    await row(page, nameAt(0)).waitFor()
  })

  test('scrolls with less than 33 ms of work for a frame', async () => {
    const { agent, page } = opened()
    await page.goto(`${agent.url}/stacks?sort=name`)
    await row(page, nameAt(0)).waitFor()
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const workMs = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1_000
    }
    const before = await workMs()
    const frames = 60
    await page.evaluate(`new Promise((done) => {
      let left = ${frames}
      const next = () => { scrollBy(0, 300); left-- > 0 ? requestAnimationFrame(next) : done() }
      next()
    })`)
    expect(((await workMs()) - before) / frames).toBeLessThan(33)
    await session.detach()
  })

  test('an event renders the row of its stack again, and no other', async () => {
    const { agent, page } = opened()
    await openList('/stacks?sort=name')
    await row(page, nameAt(3)).waitFor()
    await watchRows(page)
    await agent.ask('POST', `stacks/${nameAt(3)}/suspend`, { why: 'lunch' })
    await row(page, nameAt(3)).getByText('Suspended', { exact: true }).waitFor()
    expect(await changedRows(page)).toEqual([nameAt(3)])
  })

  test('rows keep their order while the pointer is in the list, which offers to sort again', async () => {
    const { agent, page } = opened()
    await openList('/stacks')
    await expect.poll(() => rows(page).first().textContent()).toContain(nameAt(3))
    await rows(page).nth(5).hover()
    await agent.ask('POST', `stacks/${nameAt(8)}/suspend`, { why: 'lunch' })
    await agent.ask('POST', `stacks/${nameAt(many - 1_000)}/suspend`, { why: 'lunch' })
    await page.getByRole('button', { name: '2 newer' }).waitFor()
    expect(await row(page, nameAt(8)).textContent()).toContain('Suspended')
    expect(await rows(page).nth(1).textContent()).not.toContain('Suspended')
    await page.getByRole('button', { name: '2 newer' }).click()
    for (const [at, name] of [nameAt(3), nameAt(8), nameAt(many - 1_000)].entries())
      await expect.poll(() => rows(page).nth(at).textContent()).toContain(name)
  })

  test('sorts again by itself when the pointer and the focus have left it', async () => {
    const { agent, page } = opened()
    await rows(page).nth(5).hover()
    await agent.ask('POST', `stacks/${nameAt(8)}/resume`, {})
    await page.getByRole('button', { name: '1 newer' }).waitFor()
    await page.mouse.move(2, 2)
    await expect.poll(() => rows(page).first().textContent()).toContain(nameAt(8))
    expect(await page.getByRole('button', { name: /newer/ }).count()).toBe(0)
  })

  test('a row in the window changes also if more stacks change at once than an event has', async () => {
    const { agent, page } = opened()
    const asked = page.waitForRequest((request) => /events\?.*names=.*stack-00005/.test(request.url()))
    await openList('/stacks?sort=name')
    await asked
    await rows(page).nth(5).hover()
    const names = [...Array.from({ length: 99 }, (_, at) => nameAt(many / 2 + at)), nameAt(5)]
    await agent.ask('POST', 'bulk', { verb: 'suspend', names, why: 'lunch' })
    await row(page, nameAt(5)).getByText('Suspended', { exact: true }).waitFor()
  })

  test('groups by target, with the groups in the address', async () => {
    const { agent, page } = opened()
    await page.goto(`${agent.url}/stacks`)
    await page.getByLabel('Group by').selectOption('target')
    await page.locator('tr.group', { hasText: 'local' }).waitFor()
    expect(page.url()).toBe(`${agent.url}/stacks?group=target`)
    expect(await page.locator('.stack-table').getAttribute('aria-rowcount')).toBe(String(many + 2))
    expect(await accessibilityFindings(page)).toEqual([])
  })

  test('is read by keyboard: j and k choose a row and scroll to it, Enter opens it', async () => {
    const { page } = opened()
    await openList('/stacks?sort=name')
    for (let at = 0; at < 31; at++) await page.keyboard.press('j')
    await page.locator('tr.on', { hasText: nameAt(30) }).waitFor()
    const focused = page.locator('tr.on a:focus')
    await expect.poll(() => focused.textContent()).toBe(nameAt(30))
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/stacks/${nameAt(29)}`)
  })

  test('the history has rows of one height, and reads pages of 100', async () => {
    const { page } = opened()
    await showView(opened(), '/history')
    const entries = page.locator('.history-rows li')
    await entries.first().waitFor()
    expect(await entries.count()).toBeLessThan(60)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await expect.poll(() => page.locator('.history-rows li[aria-posinset="195"] b').count()).toBe(1)
    expect(await heightsOf(page, '.history-rows li')).toHaveLength(1)
    expect(await accessibilityFindings(page)).toEqual([])
  })

  test('a run in the history changes in place while the focus is in the list', async () => {
    const { agent, page } = opened()
    await showView(opened(), '/history')
    await page.locator('.history-rows a').first().focus()
    await agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] })
    await agent.ask('PUT', 'stacks/boards/package', { files: [{ path: 'package.yml', text: bucket('raw', 7_200) }] })
    await page.getByRole('button', { name: /newer/ }).click()
    await page.locator('.history-rows li', { hasText: 'boards' }).first().getByText('applied').waitFor()
  })

  test('four digests a second at most, of at most 5 kB, while all stacks change', async () => {
    const { agent, page } = opened()
    await page.goto(agent.url)
    await page.locator('.live', { hasText: 'Live' }).waitFor()
    const before = agent.streams.digests.length
    const { stacks } = agent.store
    const found = (await stacks.list({ limit: many + 1 })).filter(({ spec }) => spec.name !== 'boards')
    const suspended = { at: 1, by: 'ann', reason: 'lunch', until: null }
    await Promise.all(found.map(({ id }) => stacks.changeSoon(id, { suspended })))
    const digestsSince = () => agent.streams.digests.slice(before).filter(({ type }) => type === 'digest')
    const rounds = 6
    for (let round = 0; round < rounds; round++) {
      const size = many / rounds
      for (const { id } of found.slice(round * size, (round + 1) * size)) agent.events.stackChanged(id)
      await expect.poll(() => digestsSince().length, { interval: 10 }).toBeGreaterThan(round)
    }
    await page.getByRole('link', { name: `${many.toLocaleString('en')} Suspended` }).waitFor()
    const digests = digestsSince()
    const times = digests.map(({ at }) => Date.parse(at))
    const seconds = times.slice(4).map((at, index) => at - times[index]!)
    expect(Math.min(1_000, ...seconds)).toBeGreaterThanOrEqual(1_000 - 4)
    expect(Math.max(...digests.map((digest) => JSON.stringify(digest).length))).toBeLessThan(5_000)
  })

  /** Each height once. In one step: rows come and go while a list scrolls. */
  function heightsOf(page: Page, selector: string): Promise<readonly number[]> {
    return page.evaluate((wanted) => {
      const all: Iterable<{ readonly offsetHeight: number }> = (globalThis as any).document.querySelectorAll(wanted)
      return [...new Set(Array.from(all, ({ offsetHeight }) => offsetHeight))]
    }, selector)
  }

  /** Notes which rows change from now on. Texts of times are not counted. */
  async function watchRows(page: Page): Promise<void> {
    await page.evaluate(() => {
      const changed = new Set<string>()
      Object.assign(globalThis, { changed })
      const { document, MutationObserver, Element } = globalThis as any
      new MutationObserver((records: any[]) => {
        for (const { target } of records) {
          const element = target instanceof Element ? target : target.parentElement
          if (element?.closest('time') == null) changed.add(element?.closest('tr')?.querySelector('b')?.textContent)
        }
      }).observe(document.querySelector('.stack-table tbody'), {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      })
    })
  }

  async function changedRows(page: Page): Promise<readonly string[]> {
    return page.evaluate(() => [...(globalThis as unknown as { readonly changed: ReadonlySet<string> }).changed])
  }
})
