// A promotion in a browser: the commits in between, the plans page by page, and the reason.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { gitEnvironment } from '../../git-server.js'
import { describeInBrowser, expectFit, showView } from '../in-browser.js'
import { bucket, type PageUnderTest } from '../open-page.js'

const stackCount = 23
const names = Array.from({ length: stackCount }, (_, at) => `s${String(at).padStart(2, '0')}`)

/** Stacks that follow the tag `stable`, each on a target of its own. */
function configuration(root: string): object {
  const repository = join(root, 'srv', 'fleet')
  mkdirSync(repository, { recursive: true })
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', args, { cwd: repository, env: gitEnvironment() })
  const commit = (message: string, everySeconds: number): void => {
    for (const name of names) {
      mkdirSync(join(repository, name), { recursive: true })
      writeFileSync(join(repository, name, 'package.yml'), bucket(name, everySeconds))
    }
    git('add', '--all')
    git('commit', '--quiet', '--message', message)
  }
  git('init', '--quiet', '--template=', '--initial-branch=main')
  commit('first release', 7_200)
  git('tag', '-a', 'stable', '-m', 'first release')
  commit('keep raw data longer', 14_400)
  writeFileSync(join(repository, names.at(-1)!, 'package.yml'), 'kind: [')
  git('commit', '--quiet', '--all', '--message', '<b>break</b> the last stack')
  git('tag', '-a', 'beta', '-m', 'to test')
  const follow = (name: string, ref: string): object => ({
    name,
    target: name,
    sources: [{ url: repository, ref, path: names.includes(name) ? name : names[0] }],
    interval: '1h',
  })
  return {
    allow: { directories: [join(root, 'srv')] },
    copies: { every: 0 },
    targets: Object.fromEntries(
      [...names, 'canary'].map((name) => [name, { platform: 'embedded', organisation: name }]),
    ),
    stacks: [...names.map((name) => follow(name, 'stable')), follow('canary', 'beta')],
  }
}

describeInBrowser(
  'the promotion',
  (opened) => {
    let agent: PageUnderTest
    let page: Page

    beforeAll(async () => {
      ;({ agent, page } = opened())
      await Promise.all(
        [...names, 'canary'].map((name) => agent.ask('POST', `stacks/${name}/wait`, { timeoutMs: 30_000 })),
      )
    }, 60_000)

    const stacks = () => page.locator('.plan-list .name').allInnerTexts()

    test('shows the commits in between, and text of others as text', async () => {
      const { items } = await agent.ask('GET', 'channels')
      const nameOf = (ref: string): string => items.find((one: any) => one.ref === ref).name
      await page.goto(
        `${agent.url}/channels/promote?from=${encodeURIComponent(nameOf('beta'))}&to=${encodeURIComponent(nameOf('stable'))}`,
      )
      await page.getByText('2 commits in between').waitFor()
      const commits = page.getByRole('list', { name: 'Commits' }).getByRole('listitem')
      expect(await commits.allInnerTexts()).toEqual([
        expect.stringContaining('<b>break</b> the last stack'),
        expect.stringContaining('keep raw data longer'),
      ])
    })

    test('shows the plans page by page, at most 20 at once', async () => {
      await page
        .getByText(`${stackCount} stacks follow the tag. Shown: 1 to 20 by name; of these, the worst plan is first.`)
        .waitFor()
      expect(await stacks()).toEqual(names.slice(0, 20))
      await page.getByRole('button', { name: 'Plan of s00' }).click()
      await page.getByText('everySeconds').waitFor()
      await page.getByRole('button', { name: 'Next stacks' }).click()
      await page.getByText('Shown: 21 to 23 by name; of these, the worst plan is first. 1 cannot be planned.').waitFor()
      expect(await stacks()).toEqual(['s22', 's20', 's21'])
      expect(await page.getByRole('button', { name: 'Next stacks' }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Stacks before' }).click()
      await page.getByText('Shown: 1 to 20 by name').waitFor()
    })

    test('has no findings of axe-core and does not scroll sideways', async () => {
      await expectFit(page)
      await page.setViewportSize({ width: 1280, height: 800 })
    })

    test('needs a consent if a stack cannot be planned; moves the tag with the reason, and the history names the person', async () => {
      await page.getByLabel('Why', { exact: true }).fill('a week without complaints')
      const promote = page.getByRole('button', { name: /^Promote stable to / })
      const consent = page.getByLabel(/^s22 cannot be planned at .*\. Promote anyway\.$/)
      await consent.waitFor()
      expect(await promote.isDisabled()).toBe(true)
      await consent.check()
      await promote.click()
      await page.waitForURL(/\/channels\?channel=/)
      await agent.ask('POST', 'stacks/s00/wait', { timeoutMs: 30_000 })
      const { items } = await agent.ask('GET', 'stacks/s00/runs?limit=1')
      expect(items[0].cause).toMatchObject({ kind: 'tag-moved', by: 'page', note: 'a week without complaints' })
      await showView(opened(), `/stacks/s00/runs/${items[0].id}`)
      await page.getByText(/promoted stable .*: a week without complaints/).waitFor()
    })
  },
  { configuration },
)
