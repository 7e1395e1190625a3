// The command lines that dialogs show, typed as they are: also for two channels of the same name.
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { parseCommand, wordsOf } from '../../cli/parse-command.js'
import { until } from '../../e2e/until.js'
import { describeInBrowser, showView } from '../in-browser.js'
import { bucket, repositoryOf, type PageUnderTest } from '../open-page.js'

const names = ['lake', 'shop', 'shop-next'] as const

describeInBrowser('a command line of the page', (opened) => {
  let agent: PageUnderTest
  let page: Page

  beforeAll(async () => {
    ;({ agent, page } = opened())
    for (const [fleet, stacks] of [
      ['fleet', [names[0]]],
      ['shops', names.slice(1)],
    ] as const) {
      const repository = await repositoryOf(agent, fleet)
      const files = Object.fromEntries(stacks.map((name) => [`${name}/package.yml`, bucket(name, 7_200)]))
      await repository.commit({ files, tags: ['stable'], branch: 'canary' })
      for (const name of stacks) {
        const ref = name === 'shop-next' ? 'canary' : 'stable'
        const source = ['--repo', repository.directory, '--path', name, '--ref', ref]
        await agent.type('stack', 'create', name, ...source, '--interval', '1d')
      }
    }
  }, 60_000)

  /** The lines that are shown now, in a dialog or below a view, each without `gitmoor`. */
  const shown = async (within: string): Promise<readonly string[]> => {
    await page.locator(`${within} .cli`).first().waitFor()
    const texts = await page.locator(`${within} .cli code`).allTextContents()
    return texts.flatMap((text) => text.split('\n')).map((line) => line.replace(/^gitmoor /, ''))
  }
  const type = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) await agent.type(...wordsOf(line))
  }
  const openChannel = async (remote: string): Promise<any> => {
    const { items } = await agent.ask('GET', 'channels')
    const channel = items.find((one: any) => one.ref === 'stable' && one.remote.includes(remote))
    await page.keyboard.press('Escape') // closes the dialog of the test before
    await showView(opened(), `/channels?channel=${encodeURIComponent(channel.name)}`)
    await page.getByRole('heading', { name: 'stable' }).waitFor()
    return channel
  }

  test('about several stacks has a line for each', async () => {
    await showView(opened(), '/stacks')
    for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
    for (const [button, state] of [
      ['Suspend', 'Suspended'],
      ['Resume', 'Synced'],
      ['Sync', 'Synced'],
    ] as const) {
      await page.getByRole('group', { name: 'Selected stacks' }).getByRole('button', { name: button }).click()
      if (button === 'Suspend') await page.getByRole('textbox', { name: 'Reason' }).fill('a long move')
      const lines = await shown('.confirm')
      expect(lines).toHaveLength(names.length)
      await type(lines)
      const stacks = async (): Promise<readonly any[]> => (await agent.ask('GET', 'stacks')).items
      await until(state, async () => (await stacks()).every(({ status }) => status.state === state))
      if (button === 'Suspend') expect((await stacks())[0].suspended.why).toBe('a long move')
      await page.getByRole('button', { name: 'Not now' }).click()
    }
  })

  test.each(['fleet', 'shops'])('about a channel means that of %s, though another one has its name', async (remote) => {
    const { name } = await openChannel(remote)
    await type(await shown('section[aria-labelledby=channel]'))
    await page.getByRole('button', { name: 'Pin', exact: true }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('an audit')
    await type(await shown('.confirm'))
    await page.getByRole('button', { name: 'Not now' }).click()
    const pinned = async (): Promise<readonly string[]> => {
      const { items } = await agent.ask('GET', 'channels')
      return items.flatMap((one: any) => (one.pin === null ? [] : [`${one.name} ${one.pin.why}`]))
    }
    expect(await pinned()).toEqual([`${name} an audit`])
    await page.getByRole('button', { name: 'Unpin', exact: true }).click()
    await type(await shown('.confirm'))
    expect(await pinned()).toEqual([])
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.getByRole('button', { name: /^Veto: move/ }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('wrong')
    for (const line of await shown('.confirm')) await parseCommand(line)
  })

  test('names the repository of channels that have the same name', async () => {
    await showView(opened(), '/')
    const channels = page.locator('.channel-list b')
    await channels.first().waitFor()
    expect((await channels.allTextContents()).sort()).toEqual(['canary', 'stable of fleet', 'stable of shops'])
    await openChannel('fleet')
    const lanes = async (): Promise<string> => (await page.locator('.lanes .lane').allTextContents()).join(' ')
    await expect.poll(lanes).toMatch(/fleet.*shops|shops.*fleet/)
  })

  test('of a promotion has the reason; only tags of the same repository can be chosen', async () => {
    await showView(opened(), '/channels/promote')
    const options = (label: string): Promise<readonly string[]> =>
      page.getByLabel(label).getByRole('option').allTextContents()
    await page.getByLabel('From').selectOption({ label: 'canary' })
    expect(await options('From')).toEqual(['From …', 'stable of fleet', 'canary', 'stable of shops'])
    expect(await options('To the tag')).toEqual(['To the tag …', 'stable of shops'])
    await page.getByLabel('To the tag').selectOption({ label: 'stable of shops' })
    await page.getByLabel('Why', { exact: true }).fill('it is right')
    const lines = await shown('form.step')
    expect(lines).toEqual([
      expect.stringMatching(/^channel promote canary '?file:.*shops.*#stable'? --why 'it is right'$/),
    ])
    await type(lines.map((line) => `${line} --yes`))
    await page.getByLabel('From').selectOption({ label: 'stable of fleet' })
    expect(await options('To the tag')).toEqual(['To the tag …'])
  })
})
