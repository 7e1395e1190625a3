// What commands say while they wait for a poll.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Rejected } from '../../../src/model/errors.js'
import { until } from '../../e2e/until.js'
import type { Ask } from '../../ask.js'
import { sampleExplanation, sampleStack } from '../../api/sample-views.js'
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

test('plan --dir says when the poll begins that it waits for', async () => {
  const { ask, explained } = failedPoll()
  const shell = await openTestShell({ ...ask, previewPackage: () => explained(1) })
  await mkdir(join(shell.directory, 'files/dashboards'), { recursive: true })
  await writeFile(join(shell.directory, 'files/dashboards/a.yml'), 'a: 1\n')
  const { stderr } = await shell.type('plan boards --dir files')
  expect(stderr).toMatch(/^The last poll failed\. The next one begins in 8s\.\n/)
})

const waitsForSeveral = { sync: 'requestSyncs', wait: 'waitForStack' } as const

test.each(Object.entries(waitsForSeveral))('%s of several stacks says each poll once', async (verb, useCase) => {
  const { ask, explained } = failedPoll()
  const items = ['boards', 'cellar', 'roof'].map((name) => ({ ...sampleStack, name }))
  const shell = await openTestShell({
    ...ask,
    listStacks: async () => ({ items, next: null }),
    [useCase]: () => explained(items.length),
  })
  const { stderr } = await shell.type(`${verb} --all`)
  const polls = stderr.split('\n').filter((line) => line.includes('The next one begins'))
  expect(polls).toEqual([
    'The last poll of the source of boards failed. The next one begins in 8s.',
    'The last poll of the source of roof failed. The next one begins in 1m.',
  ])
})

/** boards and cellar wait for one poll, roof for another. `explained` rejects when so many stacks were explained. */
function failedPoll(): { readonly ask: Partial<Ask>; readonly explained: (count: number) => Promise<never> } {
  const names = new Set<string>()
  return {
    ask: {
      explainStack: async (name) => {
        names.add(name)
        const requestedPollAt = name === 'roof' ? '2026-11-21T04:04:00Z' : '2026-11-21T04:03:08Z'
        return { ...sampleExplanation, requestedPollAt }
      },
    },
    explained: async (count) => {
      await until('the agent was asked for the polls', () => names.size === count)
      throw new Rejected('The server refuses the token.', { code: 'source/auth' })
    },
  }
}

test('sync says nothing of polls if it waits for none', async () => {
  const shell = await openTestShell()
  expect((await shell.type('sync boards')).stderr).not.toContain('The next one begins')
})
