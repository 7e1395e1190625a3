// Times in words: by the clock of the agent, and never untrue for long.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeInBrowser } from '../in-browser.js'
import { bucket } from '../open-page.js'

const minuteMs = 60_000

describeInBrowser('times', (opened) => {
  const times = () => opened().page.locator('main time').allTextContents()

  test('are by the clock of the agent: what is past is never in the future', async () => {
    const { agent, page } = opened()
    await agent.ask('POST', 'stacks', { name: 'boards', sources: [{ kind: 'inline' }] })
    for (const [minutes, wrong] of [
      [-7, /in [67] min/],
      [7, /[67] min ago/],
    ] as const) {
      await page.clock.install({ time: Date.now() + minutes * minuteMs })
      await page.goto(`${agent.url}/history`)
      await page.goto(`${agent.url}/stacks/boards`)
      await expect.poll(times).toContainEqual(expect.stringMatching(/now|ago/))
      expect((await times()).filter((text) => wrong.test(text))).toEqual([])
    }
  })

  test('of polls are read again after each planned poll, and not with each tick of the clock', async () => {
    const { agent, page } = opened()
    writeFileSync(join(agent.directory, 'package.yml'), bucket('raw', 7_200))
    const sources = [{ kind: 'directory', directory: agent.directory }]
    await agent.ask('POST', 'stacks', { name: 'polled', sources, interval: '30s' })
    await agent.ask('POST', 'stacks/polled/wait', { timeoutMs: 10_000 })
    await page.clock.install({ time: Date.now() })
    await page.goto(`${agent.url}/stacks/polled`)
    const nextPoll = page.locator('dt:has-text("Next poll") + dd time')
    await nextPoll.waitFor()
    await page.locator('.live', { hasText: 'Live' }).waitFor()
    const reads: string[] = []
    page.on('request', (request) => reads.push(new URL(request.url()).pathname))
    await page.clock.fastForward(33_000)
    await expect.poll(() => reads).toContain('/api/v1/stacks/polled')
    await expect.poll(() => nextPoll.textContent()).toMatch(/^in /)
    await page.clock.runFor(10_000)
    // An event of the first run may cause one read more.
    for (const path of ['/api/v1/stacks/polled', '/api/v1/stacks/polled/explain'])
      expect([1, 2]).toContain(reads.filter((one) => one === path).length)
  })
})
