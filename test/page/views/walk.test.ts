// From a failing stack on the overview to its cause and its fix, by a script that reads only the accessibility tree.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { walkToFix } from '../../../scripts/page/walk.mjs'
import { describeInBrowser } from '../in-browser.js'
import { makeSmallFleet } from '../small-fleet.js'

describeInBrowser('a failing stack', (opened) => {
  beforeAll(async () => void (await makeSmallFleet(opened().agent)))

  test('is understood and fixed in less than 30 s, with keys alone', async () => {
    const { agent, page } = opened()
    const directory = mkdtempSync(join(tmpdir(), 'gitmoor-walk-'))
    await page.goto(agent.url)
    const { cause, seconds } = await walkToFix(page, { stack: 'failed', directory })
    rmSync(directory, { recursive: true })
    expect(cause).toContain('the bracket [ here is not closed')
    expect(seconds).toBeLessThan(30)
    const { status } = await agent.ask('GET', 'stacks/failed')
    expect(status.state).not.toBe('Failed')
  })
})
