// The dialogs of decisions in a browser: each says what it does before a person does it.
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { parseCommand } from '../../cli/parse-command.js'
import { until } from '../../e2e/until.js'
import type { Repository } from '../../git-server.js'
import { describeInBrowser, expectFit, showView } from '../in-browser.js'
import { bucket, repositoryOf, type PageUnderTest } from '../open-page.js'

const names = ['s0', 's1', 's2', 's3', 's4', 's5'] as const

describeInBrowser('a decision', (opened) => {
  let agent: PageUnderTest
  let page: Page
  let repository: Repository
  let first: string
  let second: string

  /** All packages with buckets of this description; the tags move to them. Gives the short id of the commit. */
  const push = async (description: string, ...tags: readonly string[]): Promise<string> => {
    const files = Object.fromEntries(
      ['left', ...names].map((name) => [
        `${name}/package.yml`,
        bucket(name, 7_200).replace('"spec":{', `"spec":{"description":"${description}",`),
      ]),
    )
    return (await repository.commit({ files, tags })).slice(0, 7)
  }
  const create = (name: string, ref: string): Promise<string> => {
    const source = ['--repo', repository.directory, '--path', name, '--ref', ref]
    return agent.type('stack', 'create', name, ...source, '--interval', '1d')
  }
  const openChannel = async (ref: string): Promise<void> => {
    const { items } = await agent.ask('GET', 'channels')
    const { name } = items.find((one: { ref: string }) => one.ref === ref)
    await page.keyboard.press('Escape') // closes the dialog of the test before
    await showView(opened(), `/channels?channel=${encodeURIComponent(name)}`)
    await page.getByRole('heading', { name: ref }).waitFor()
  }
  const dialog = (): Locator => page.getByRole('dialog')
  /** Its command line can be typed, too. */
  const says = async (text: string): Promise<void> => {
    await dialog().getByText(text).waitFor()
    const [line = ''] = await dialog().locator('.cli code').allTextContents()
    await parseCommand(line.replace(/^gitmoor /, ''))
  }

  beforeAll(async () => {
    ;({ agent, page } = opened())
    repository = await repositoryOf(agent)
    first = await push('one', 'stable', 'beta')
    await create('left', 'beta')
    for (const name of names) await create(name, 'stable')
    await agent.type('stack', 'delete', 'left', '--yes')
    second = await push('two', 'stable')
    await agent.type('sync', '--all')
  }, 60_000)

  test('to veto a move names the stacks that go back, the commit, and what changes', async () => {
    await openChannel('stable')
    await page.getByRole('button', { name: /^Veto: move/ }).click()
    await says(`6 stacks go back from ${second} to ${first}: s0, s1, s2, s3, s4 and 1 more.`)
    await dialog().getByRole('button', { name: 'Show what changes' }).click()
    await dialog().getByRole('list', { name: 'What changes' }).waitFor()
    const plans = await dialog().getByRole('listitem').allInnerTexts()
    expect(plans).toHaveLength(6)
    expect(await dialog().getByRole('img', { name: '0 new, 1 changed, 0 removed' }).count()).toBe(6)
    await expectFit(page)
  })

  test('is offered only for moves about which the agent accepts one', async () => {
    await openChannel('stable')
    expect(await page.locator('.moves tbody tr').count()).toBe(2)
    expect(await page.locator('.moves').getByRole('button').count()).toBe(1)
  })

  test('to veto a move that no stack follows says that nothing changes', async () => {
    await openChannel('beta')
    await page.getByRole('button', { name: /^Veto: move/ }).click()
    await says(`No stack of beta of fleet follows ${first}, so nothing changes on a target.`)
    expect(await dialog().getByRole('button', { name: 'Show what changes' }).count()).toBe(0)
  })

  test('that another person made meanwhile cannot be made again', async () => {
    const { browser } = opened()
    await openChannel('stable')
    const { items } = await agent.ask('GET', 'channels/moves?channel=stable&limit=1')
    await agent.ask('POST', `channels/moves/${items[0].id}/veto`, { why: 'the chart is wrong' })
    const veto = page.getByRole('button', { name: /^Veto: move/ })
    const endVeto = page.getByRole('button', { name: /^End veto: move/ })
    await endVeto.waitFor()
    expect(await veto.count()).toBe(1) // of the move before
    await agent.type('channel', 'pin', 'stable', '--why', 'an audit')
    await until('the channel is pinned', async () => (await endVeto.count()) === 0)
    await veto.click()
    await dialog().getByRole('alert').getByText('is pinned at that commit').waitFor()
    expect(await dialog().getByRole('button', { name: 'Veto', exact: true }).isDisabled()).toBe(true)
    await dialog().getByRole('button', { name: 'Not now' }).click() // it would read again, and be refused again
    browser.errors.length = 0 // the browser reports the answer
    await agent.type('channel', 'unpin', 'stable', '--yes')
  })

  test('that is open says what it does now, after another person changed a stack of it', async () => {
    const reason = dialog().getByRole('textbox', { name: 'Reason' })
    const list = dialog().getByRole('list', { name: 'What changes' })
    const show = dialog().getByRole('button', { name: 'Show what changes' })
    await openChannel('stable')
    await page.getByRole('button', { name: /^End veto: move/ }).click()
    await says(`6 stacks move to ${second}: s0, s1, s2, s3, s4 and 1 more.`)
    await reason.fill('it was right')
    await show.click()
    await list.waitFor()
    await agent.type('suspend', 's5', '--why', 'an audit')
    await show.waitFor()
    await show.click()
    await list.waitFor()
    await create('left', 'stable').catch(() => 'exit code 7')
    await says(`7 stacks move to ${second}: left, s0, s1, s2, s3 and 2 more.`)
    await show.waitFor()
    expect(await reason.inputValue()).toBe('it was right')
    await agent.type('stack', 'delete', 'left', '--yes')
    await says(`6 stacks move to ${second}: s0, s1, s2, s3, s4 and 1 more.`)
    await agent.type('resume', 's5')
  })

  test('is in the header of a stack: after a veto, the released commit is on the target', async () => {
    await showView(opened(), '/stacks/s0')
    await page.locator('h1 .state', { hasText: 'Behind' }).waitFor()
    expect(await page.locator('.sub').innerText()).toBe(`local has ${first}, the released commit.`)
  })

  test('to veto marks the runs of the commit in the history of a stack', async () => {
    const headOf = (commit: string): Locator => page.locator('.runs li p:first-child', { hasText: commit })
    await headOf(second).getByText('vetoed', { exact: true }).first().waitFor()
    expect(await headOf(first).count()).toBeGreaterThan(0)
    expect(await headOf(first).getByText('vetoed', { exact: true }).count()).toBe(0)
  })

  test('to release a vetoed move says that it ends the veto, whose, and which stacks move', async () => {
    await openChannel('stable')
    await page.getByRole('button', { name: /^End veto: move/ }).click()
    await says(
      `This ends the veto of ${second} on stable of fleet, by api: “the chart is wrong”. ` +
        `6 stacks move to ${second}: s0, s1, s2, s3, s4 and 1 more.`,
    )
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('it was right')
    await dialog().getByRole('button', { name: 'End veto', exact: true }).click()
    await page.getByRole('status').getByText(`${second} on stable is released.`).waitFor()
  })

  test('of another person is not undone by one who decided before', async () => {
    await openChannel('stable')
    await page.reload() // ends the messages of the tests before
    const { items } = await agent.ask('GET', 'channels')
    const { name: channel } = items.find((one: { ref: string }) => one.ref === 'stable')
    await page.route(/\/channels\/pin$/, async (route) => {
      const response = await route.fetch()
      await agent.ask('POST', 'channels/unpin', { channel, why: '' })
      await agent.ask('POST', 'channels/pin', { channel, why: 'we need it' })
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Pin', exact: true }).click()
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('an audit')
    await dialog().getByRole('button', { name: 'Pin', exact: true }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('status').getByText('Nothing is undone: api decided otherwise meanwhile.').waitFor()
    await page.unroute(/\/channels\/pin$/)
    await agent.type('channel', 'unpin', 'stable', '--yes')
  })

  test('to end a pin names the commit that the pin blocked, and the stacks that move to it', async () => {
    await agent.type('channel', 'pin', 'stable', '--why', 'an audit')
    const third = await push('three', 'stable')
    await agent.type('sync', 's0')
    await openChannel('stable')
    await agent.type('suspend', 's5', '--why', 'lunch')
    await page.getByRole('button', { name: 'Unpin' }).click()
    await says(
      `6 stacks move from ${second} to ${third}: s0, s1, s2, s3, s4 and 1 more. Suspended, so only when resumed: s5.`,
    )
    await agent.type('resume', 's5')
    await dialog().getByRole('button', { name: 'Unpin', exact: true }).click()
    await page.getByRole('status').getByText('stable is unpinned.').waitFor()
    for (const name of names) await agent.type('wait', name)
  })

  test('to roll back says from which commit to which, and shows what changes', async () => {
    const { items } = await agent.ask('GET', 'stacks/s0/runs')
    const [current, before] = items.filter(({ outcome }: { outcome: string }) => outcome === 'applied')
    await showView(opened(), `/stacks/s0/runs/${current.id}`)
    await page.getByText('Requested by').waitFor()
    await expect.poll(() => page.locator('.facts-list a, .facts-list code').count()).toBeGreaterThan(0)
    expect(await page.getByRole('button', { name: 'Roll back to this run' }).count()).toBe(0)
    await showView(opened(), `/stacks/s0/runs/${before.id}`)
    await page.getByRole('button', { name: 'Roll back to this run' }).click()
    const [from, to] = [current, before].map(({ revision }) => revision.split('sha1:')[1].slice(0, 7))
    await says(`local goes from ${from} to ${to}.`)
    await dialog().getByRole('button', { name: 'Show what changes' }).click()
    await dialog().getByRole('img', { name: '0 new, 1 changed, 0 removed' }).waitFor()
    await dialog()
      .getByRole('link', { name: `Compare run ${current.id} with run ${before.id}` })
      .click()
    await page.waitForURL(new RegExp(`/stacks/s0/compare\\?a=${current.id}&b=${before.id}$`))
    expect(await dialog().count()).toBe(0)
  })

  test('is in the header of a stack: the plan of a rollback is for the commit of its run', async () => {
    const { items } = await agent.ask('GET', 'stacks/s5/runs')
    const { id } = items.findLast(({ outcome }: { outcome: string }) => outcome === 'applied')
    await agent.type('stack', 'set', 's5', '--apply', 'approval')
    await agent.type('rollback', 's5', id, '--yes').catch(() => 'exit code 7')
    await showView(opened(), '/stacks/s5')
    await page.locator('h1 .state', { hasText: 'Needs approval' }).waitFor()
    const third = (await agent.ask('GET', 'stacks/s5')).revision.applied.split('sha1:')[1].slice(0, 7)
    expect(await page.locator('.sub').innerText()).toBe(`local has ${third}. The plan for ${first} needs approval.`)
    expect(await page.locator('.chain').innerText()).toContain(`Package\n${first}`)
  })

  test('about a plan waits until a suspended stack is resumed', async () => {
    await showView(opened(), '/stacks/s5/plan')
    const approve = page.getByRole('button', { name: /^Approve/ })
    await approve.waitFor()
    expect(await approve.isDisabled()).toBe(false)
    await agent.type('suspend', 's5', '--why', 'an audit')
    await page.getByText(/^s5 is suspended by .+: an audit\. Resume it to approve the plan\.$/).waitFor()
    expect(await approve.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => approve.isDisabled()).toBe(false)
  })
})
