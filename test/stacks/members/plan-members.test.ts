// Which stacks of an owner are created, changed and suspended.
import { describe, expect, test } from 'vitest'
import { stackDefaults } from '../../../src/settings/stack-settings.js'
import type { ManagedBy } from '../../../src/model/stacks/stack-owner.js'
import { sourceLocations } from '../../../src/model/sources/source-spec.js'
import type { Stack, StackSpec, Suspension } from '../../../src/model/stacks/stack.js'
import { unstoredStack } from '../../../src/stacks/changes/new-stack.js'
import { planMembers, type MemberChange } from '../../../src/stacks/members/plan-members.js'
import { cpuMs } from '../../cpu-time.js'

const owner = { managedBy: 'fleet:boards', of: 'of fleet boards', code: 'fleets/stack', rename: 'Rename it' } as const
const marked = { reason: 'gone', by: 'fleet:boards', until: null }

function spec(name: string, settings: Partial<StackSpec> = {}): StackSpec {
  const sources = [{ kind: 'git', url: 'https://git.example/x', ref: 'stable', path: name }] as const
  return { ...stackDefaults, name, sources, ...settings }
}

function stack(of: StackSpec, managedBy: ManagedBy = 'fleet:boards', suspended: Suspension | null = null): Stack {
  const applied = { revision: 'stable@sha1:aa', content: 'c', files: 'f', place: sourceLocations(of), run: '1' }
  return {
    ...unstoredStack(of, 0),
    id: of.name,
    managedBy,
    suspended,
    applied,
  }
}

function planned(
  declared: readonly StackSpec[],
  existing: readonly Stack[],
  valid = declared,
): { readonly changes: readonly string[]; readonly problems: readonly string[] } {
  const { changes, problems } = planMembers(
    owner,
    { declared, valid },
    new Map(existing.map((one) => [one.spec.name, one])),
  )
  return { changes: changes.map(changeText), problems: problems.map(({ message }) => message) }
}

function changeText(change: MemberChange): string {
  const returns = change.action === 'change' && change.returns ? ', returns' : ''
  return `${change.action} ${change.name}${returns}`
}

describe('the stacks of an owner', () => {
  test.each([
    ['a declared stack is created', [spec('web')], [], ['create web']],
    ['one that is as declared stays', [spec('web')], [stack(spec('web'))], []],
    ['other settings change it', [spec('web', { maxDeletes: 3 })], [stack(spec('web'))], ['change web']],
    ['one that is no longer declared is suspended', [], [stack(spec('web'))], ['suspend web']],
    ['once', [], [stack(spec('web'), 'fleet:boards', marked)], []],
    ['it returns', [spec('web')], [stack(spec('web'), 'fleet:boards', marked)], ['change web, returns']],
    [
      'the suspension of a person stays',
      [spec('web')],
      [stack(spec('web'), 'fleet:boards', { ...marked, by: 'ann' })],
      [],
    ],
    ['a directory that moved is another stack', [spec('api')], [stack(spec('web'))], ['create api', 'suspend web']],
  ] as const)('%s', (_, declared, existing, changes) => {
    expect(planned(declared, existing)).toEqual({ changes, problems: [] })
  })

  test('are not suspended because they are invalid now', () => {
    expect(planned([spec('web', { target: 'gone' })], [stack(spec('web'))], [])).toEqual({ changes: [], problems: [] })
  })
})

describe('a stack of the API', () => {
  test('joins the fleet if its name, directory and target are the same, also without other settings', () => {
    expect(planned([spec('web')], [stack(spec('web', { maxDeletes: 3 }), 'api')])).toEqual({
      changes: ['change web'],
      problems: [],
    })
    expect(planned([spec('web')], [stack(spec('web'), 'api')]).changes).toEqual(['change web'])
  })

  test('does not join with another directory or another target', () => {
    const { sources } = spec('api')
    for (const other of [spec('web', { sources }), spec('web', { target: 'other' })])
      expect(planned([spec('web')], [stack(other, 'api')])).toEqual({
        changes: [],
        problems: ['Stack web of fleet boards is not declared: a stack of this name was created with the API.'],
      })
  })

  test('returns if the fleet suspended it before it was deleted', () => {
    expect(planned([spec('web')], [stack(spec('web'), 'api', marked)]).changes).toEqual(['change web, returns'])
  })
})

describe('a name that is taken', () => {
  test.each([
    ['file', 'a stack of this name belongs to the configuration file.'],
    ['fleet:others', 'a stack of this name belongs to fleet others.'],
  ] as const)('by a stack of %s is a problem, and that stack stays as it is', (managedBy, why) => {
    expect(planned([spec('web')], [stack(spec('web', { maxDeletes: 3 }), managedBy)])).toEqual({
      changes: [],
      problems: [`Stack web of fleet boards is not declared: ${why}`],
    })
  })
})

test('a stack that its owner no longer declares can be deleted, so its name becomes free', () => {
  const existing = stack(spec('web'), 'file', { ...marked, by: 'file' })
  const { problems } = planMembers(
    owner,
    { declared: [spec('web')], valid: [spec('web')] },
    new Map([['web', existing]]),
  )
  expect(problems).toMatchObject([
    {
      message:
        'Stack web of fleet boards is not declared: a stack of this name belongs to the configuration file, ' +
        'which no longer declares it.',
      hint: 'Rename it, or delete the existing stack: gitmoor stack delete web',
    },
  ])
})

test('a stack with the sources of one that is no longer declared is not created: both would own its resources', () => {
  const renamed = { ...spec('web'), name: 'team-web' }
  expect(planned([renamed], [stack(spec('web'))])).toEqual({
    changes: ['suspend web'],
    problems: [
      'Stack team-web of fleet boards is not declared: it has the sources and the target of web, which it no longer ' +
        'declares, so both would manage the same resources.',
    ],
  })
})

test('other names for 5,000 stacks are found in less than 3 seconds', async () => {
  const numbers = Array.from({ length: 5_000 }, (_, at) => at)
  const existing = numbers.map((at) => stack(spec(`web-${at}`)))
  const declared = numbers.map((at) => ({ ...spec(`web-${at}`), name: `team-${at}` }))
  const ms = await cpuMs(() => expect(planned(declared, existing).problems).toHaveLength(5_000))
  expect(ms).toBeLessThan(3_000)
})
