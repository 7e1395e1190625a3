// What a stack that waits for others says: for which one, and whether waiting is in vain.
import { expect, test } from 'vitest'
import type { Failure, Stack } from '../../../src/model/stacks/stack.js'
import { stackDefaults } from '../../../src/settings/stack-settings.js'
import { unstoredStack } from '../../../src/stacks/changes/new-stack.js'
import {
  awaitedStacks,
  awaitedText,
  decidingStack,
  namingRoot,
  type ChainReads,
} from '../../../src/stacks/status/awaited-stacks.js'
import type { StatusInput } from '../../../src/status/axes.js'

function stack(name: string, dependsOn: readonly string[], more: Partial<Stack> = {}): Stack {
  return {
    ...unstoredStack({ ...stackDefaults, name, dependsOn, sources: [{ kind: 'inline' }] }, 0),
    id: name,
    pushed: 'sha256:aa',
    observed: { revision: 'sha256:aa', content: 'c' },
    ...more,
  }
}

/** Every stack that depends on another one waits for it. */
function readsOf(stacks: readonly Stack[]): ChainReads {
  const find = (name: string): Stack | undefined => stacks.find(({ spec }) => spec.name === name)
  return {
    find: async (name) => find(name),
    dependencies: async ({ spec }) => spec.dependsOn.map((name) => ({ name, ready: false, why: '' })),
    status: async (one) => inputOf(one),
  }
}

function inputOf(one: Stack): StatusInput {
  const waits = { reason: 'Dependencies', message: '', since: null, until: null, next: [] } as const
  return {
    stack: one,
    last: undefined,
    inProgress: undefined,
    pollFailure: undefined,
    blockers: one.spec.dependsOn.length === 0 ? [] : [waits],
    blockedMoves: [],
    unreadableInputs: [],
  }
}

async function textOf(...stacks: readonly Stack[]): Promise<string | undefined> {
  const awaited = decidingStack(await awaitedStacks(stacks[0]!, readsOf(stacks)))
  return awaited && awaitedText(stacks[0]!, awaited)
}

const failed = (retry: Failure['retry']): Partial<Stack> => ({
  failure: { reason: 'ApplyFailed', code: 'engine/x', message: 'The target refuses.', retry },
})
const suspended = (until: number | null): Partial<Stack> => ({ suspended: { reason: 'lunch', by: 'ann', until } })

const chains: Readonly<Record<string, readonly [stacks: readonly Stack[], text: string | undefined]>> = {
  'a failure that is retried may still end': [
    [stack('boards', ['base']), stack('base', [], failed('soon'))],
    'It waits for base, which is not ready yet (Failed): The target refuses.',
  ],
  'a failure that waits for a change does not end by itself': [
    [stack('boards', ['base']), stack('base', [], failed('change'))],
    'It waits for base, which will not become ready by itself (Failed): The target refuses.',
  ],
  'a suspension that ends by itself is waited for': [
    [stack('boards', ['base']), stack('base', [], suspended(3_600_000))],
    'It waits for base, which is not ready yet: Suspended by ann until 1970-01-01 01:00:00Z: lunch.',
  ],
  'a suspension without an end is not': [
    [stack('boards', ['base']), stack('base', [], suspended(null))],
    'It waits for base, which will not become ready by itself: Suspended by ann: lunch.',
  ],
  'the broken stack at the end of a chain is named': [
    [stack('boards', ['apps']), stack('apps', ['base']), stack('base', [], failed('person'))],
    'It waits for apps. base will not become ready by itself (Failed): The target refuses.',
  ],
  'a broken stack is named before one that may become ready': [
    [stack('boards', ['a', 'b']), stack('a', [], failed('soon')), stack('b', [], failed('change'))],
    'It waits for a, b. b will not become ready by itself (Failed): The target refuses.',
  ],
  'a stack that does not exist is named': [
    [stack('boards', ['base'])],
    'It waits for base, which will not become ready by itself: There is no stack named base.',
  ],
  'stacks that wait for each other are named in their order': [
    [stack('boards', ['apps']), stack('apps', ['base']), stack('base', ['boards'])],
    'It waits for apps, which will not become ready by itself: The stacks wait for each other: ' +
      'apps → base → boards → apps.',
  ],
  'so are others that it waits for': [
    [stack('boards', ['b']), stack('b', ['c']), stack('c', ['b'])],
    'It waits for b, which will not become ready by itself: The stacks wait for each other: b → c → b.',
  ],
}

test.each([
  ['a suspension that ends', suspended(3_600_000), 3_600_000],
  ['a suspension without an end', suspended(null), null],
  ['a failure that is retried', failed('soon'), null],
])('a stack that waits for one with %s says until when', async (_, base, until) => {
  const boards = stack('boards', ['base'])
  const found = await namingRoot(boards, inputOf(boards).blockers, readsOf([boards, stack('base', [], base)]))
  expect(found).toMatchObject([{ reason: 'Dependencies', until }])
})

test('a stack that waits for one whose window is closed says when it opens', async () => {
  const window = { reason: 'Window', message: 'It is closed.', since: 0, until: 7_200_000, next: [] } as const
  const [boards, base] = [stack('boards', ['base']), stack('base', [])]
  const reads = readsOf([boards, base])
  const status = async (one: Stack): Promise<StatusInput> => ({ ...inputOf(one), blockers: [window] })
  expect(await namingRoot(boards, inputOf(boards).blockers, { ...reads, status })).toMatchObject([{ until: 7_200_000 }])
})

test.each(Object.entries(chains))('%s', async (_, [stacks, text]) => expect(await textOf(...stacks)).toBe(text))
