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
  const { ask, said, onStderr } = failedPoll()
  const shell = await openTestShell({ ...ask, [useCase]: () => said(1) })
  const { stderr } = await shell.type(`${verb} boards`, { onStderr })
  expect(stderr).toMatch(/^The last poll failed\. The next one begins in 8s at the latest\.\n/)
  expect(stderr).toContain('The server refuses the token.')
})

test('plan --dir says when the poll begins that it waits for', async () => {
  const { ask, said, onStderr } = failedPoll()
  const shell = await openTestShell({ ...ask, previewPackage: () => said(1) })
  await mkdir(join(shell.directory, 'files/dashboards'), { recursive: true })
  await writeFile(join(shell.directory, 'files/dashboards/a.yml'), 'a: 1\n')
  const { stderr } = await shell.type('plan boards --dir files', { onStderr })
  expect(stderr).toMatch(/^The last poll failed\. The next one begins in 8s at the latest\.\n/)
})

const waitsForSeveral = { sync: 'requestSyncs', wait: 'waitForStack' } as const

test.each(Object.entries(waitsForSeveral))('%s of several stacks says each poll once', async (verb, useCase) => {
  const { ask, said, onStderr } = failedPoll()
  const items = ['boards', 'cellar', 'roof'].map((name) => ({ ...sampleStack, name }))
  const shell = await openTestShell({
    ...ask,
    listStacks: async () => ({ items, next: null }),
    [useCase]: () => said(2),
  })
  const { stderr } = await shell.type(`${verb} --all`, { onStderr })
  expect(pollLines(stderr)).toEqual([
    'The last poll of the source of boards failed. The next one begins in 8s at the latest.',
    'The last poll of the source of roof failed. The next one begins in 1m at the latest.',
  ])
})

const pollLines = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => line.includes('The next one begins'))

/** boards and cellar wait for one poll, roof for another. `said` rejects when so many lines about polls are printed. */
function failedPoll(): {
  readonly ask: Partial<Ask>
  readonly said: (count: number) => Promise<never>
  readonly onStderr: (printed: string) => void
} {
  let lines = 0
  return {
    ask: {
      explainStack: async (name) => {
        const requestedPollAt = name === 'roof' ? '2026-11-21T04:04:00Z' : '2026-11-21T04:03:08Z'
        return { ...sampleExplanation, requestedPollAt }
      },
    },
    said: async (count) => {
      await until('the command says what it waits for', () => lines === count)
      throw new Rejected('The server refuses the token.', { code: 'source/auth' })
    },
    onStderr: (printed) => (lines = pollLines(printed).length),
  }
}

test('sync says nothing of polls if it waits for none', async () => {
  const shell = await openTestShell()
  expect((await shell.type('sync boards')).stderr).not.toContain('The next one begins')
})
