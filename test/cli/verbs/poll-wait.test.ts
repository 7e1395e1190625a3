// What commands say while they wait for a poll.
import { expect, test } from 'vitest'
import { Rejected } from '../../../src/model/errors.js'
import { until } from '../../e2e/until.js'
import { sampleExplanation } from '../../api/sample-views.js'
import { openTestShell } from '../type-command.js'

const verbs = { sync: 'requestSync', wait: 'waitForStack', plan: 'previewPlan' } as const

test.each(Object.entries(verbs))('%s says when the poll begins that it waits for', async (verb, useCase) => {
  let isExplained = false
  const shell = await openTestShell({
    explainStack: async () => {
      isExplained = true
      return { ...sampleExplanation, requestedPollAt: '2026-11-21T04:03:08Z' }
    },
    [useCase]: async () => {
      await until('the agent was asked for the poll', () => isExplained)
      throw new Rejected('The server refuses the token.', { code: 'source/auth' })
    },
  })
  const { stderr } = await shell.type(`${verb} boards`)
  expect(stderr).toMatch(/^The last poll failed\. The next one begins in 8s\.\n/)
  expect(stderr).toContain('The server refuses the token.')
})

test('sync says nothing of polls if it waits for none', async () => {
  const shell = await openTestShell()
  expect((await shell.type('sync boards')).stderr).not.toContain('The next one begins')
})
