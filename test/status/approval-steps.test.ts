import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../src/model/address.js'
import { nextText } from '../../src/model/stacks/blocker.js'
import type { ApprovalReason, ApprovalRule, Change } from '../../src/model/resources/change.js'
import { lossMessage } from '../../src/plan/approval-rules.js'
import { approvalGroups, groupMessages } from '../../src/status/approval-steps.js'

const raw = 'Bucket/raw' as Address
const removal: Change = {
  address: raw,
  kind: 'Bucket',
  action: 'remove',
  fields: [],
  losesData: true,
  reason: 'dropped',
  needs: [],
  after: [],
}
const loss = (path: string): Partial<Change> => ({
  action: 'update',
  reason: 'edited',
  losses: [{ path, message: 'points are deleted' }],
})
const retention = loss('retentionRules[0].everySeconds')
const schema = loss('measurementSchemas[0].columns')
const releases = ' Or keep it without an owner: gitmoor stack release boards Bucket/raw'

interface Case {
  readonly rule: ApprovalRule
  readonly change?: Partial<Change>
  readonly keep: string
  /** The row of docs/guides/approval.md. */
  readonly documented: string
}

const cases: Readonly<Record<string, Case>> = {
  'many removals': {
    rule: 'deletions',
    keep: 'To keep the resources, declare them again, or restore the former path or value',
    documented: '| `deletions` | removes more than `maxDeletes` resources (10) | declare them again |',
  },
  'the removal of data': {
    rule: 'data-loss',
    keep: `To keep the data, declare Bucket/raw again.${releases}`,
    documented: '| `data-loss` | removes a bucket | declare it again, or release it |',
  },
  'a shorter retention': {
    rule: 'data-loss',
    change: retention,
    keep: 'To keep the data, declare Bucket/raw with the retentionRules that the target has',
    documented: '| `data-loss` | shortens the retention of a bucket | declare the retention that the target has |',
  },
  'a smaller schema': {
    rule: 'data-loss',
    change: schema,
    keep: 'To keep the data, declare Bucket/raw with the measurementSchemas that the target has',
    documented: '| `data-loss` | shrinks the schema of a bucket | declare the schema that the target has |',
  },
  'both at once': {
    rule: 'data-loss',
    change: { ...retention, losses: [...retention.losses!, ...schema.losses!] },
    keep: 'To keep the data, declare Bucket/raw with the measurementSchemas and retentionRules that the target has',
    documented: '| `data-loss` |',
  },
  'the removal of a protected resource': {
    rule: 'protect',
    keep: `To keep it, declare Bucket/raw again.${releases}`,
    documented: '| `protect` | removes a resource that `protect` covers | declare it again, or release it |',
  },
  'an adoption': {
    rule: 'adoption',
    change: { action: 'update', reason: 'added', adopts: true },
    keep: 'To leave the existing resource alone, give Bucket/raw another name in the package',
    documented: '| `adoption` | adopts a resource that no stack owns, with `--adopt refuse` | declare another name |',
  },
  'any change of a stack that needs approval': {
    rule: 'approval',
    keep: '',
    documented: '| `approval` | changes anything, with `--apply approval` | – |',
  },
}

describe('what keeps the resources of a plan', () => {
  const page = readFileSync('docs/guides/approval.md', 'utf8')

  test.each(Object.entries(cases))('%s', (_, { rule, change = {}, keep, documented }) => {
    const reason: ApprovalReason = {
      rule,
      message: 'It needs approval.',
      ...(rule === 'deletions' || rule === 'approval' ? {} : { address: raw }),
    }
    const groups = approvalGroups('boards', { changes: [{ ...removal, ...change }], needsApproval: [reason] })
    expect(groups.map((group) => [group.rule, nextText(group.keep)])).toEqual([[rule, keep]])
    expect(page).toContain(documented)
  })

  test('never weakens a rule', () => {
    const texts = Object.values(cases).map(({ keep }) => keep)
    expect(texts.filter((text) => text.includes('stack set'))).toEqual([])
  })

  test('of a rollback ends the rollback', () => {
    const changes = [{ ...removal, ...retention, reason: 'rollback' } as const]
    const needsApproval = (['data-loss', 'approval'] as const).map((rule) => ({ rule, address: raw, message: 'Why.' }))
    expect(approvalGroups('boards', { changes, needsApproval }).map(({ keep }) => nextText(keep))).toEqual([
      'To change nothing, end the rollback: gitmoor unpin boards',
      '',
    ])
  })

  test('of an uninstall cancels it, and does not declare what the package declares', () => {
    const changes = [{ ...removal, reason: 'uninstalled' } as const]
    const needsApproval = (['deletions', 'data-loss', 'protect'] as const).map((rule) => ({
      rule,
      address: raw,
      message: 'Why.',
    }))
    const keep = 'To keep everything, cancel the uninstall: gitmoor cancel boards'
    expect(approvalGroups('boards', { changes, needsApproval }).map((group) => nextText(group.keep))).toEqual([
      keep,
      keep,
      keep,
    ])
  })

  test('is separate for removals and updates, and names some of many resources', () => {
    const named = (name: string, more: Partial<Change> = {}): Change => ({
      ...removal,
      ...more,
      address: `Bucket/${name}` as Address,
    })
    const changes = ['a', 'b', 'c', 'd'].map((name) => named(name)).concat(named('e', retention))
    const needsApproval = changes.map(({ address }) => ({ rule: 'data-loss', address, message: 'Why.' }) as const)
    const groups = approvalGroups('boards', { changes, needsApproval })
    expect(groups.map(({ reasons, keep }) => [reasons.length, nextText(keep)])).toEqual([
      [
        4,
        'To keep the data, declare Bucket/a, Bucket/b, Bucket/c and 1 more again. ' +
          'Or keep each without an owner: `gitmoor stack release NAME ADDRESS`',
      ],
      [1, 'To keep the data, declare Bucket/e with the retentionRules that the target has'],
    ])
  })
})

describe('many reasons of one rule are one sentence:', () => {
  const addresses = ['Bucket/a', 'Bucket/b', 'Bucket/c', 'Bucket/d', 'Bucket/e'] as Address[]
  const messages = (rule: ApprovalRule, change: Partial<Change> = {}, some = addresses): readonly string[] =>
    approvalGroups('boards', {
      changes: some.map((address) => ({ ...removal, address, ...change })),
      needsApproval: some.map((address) => ({ rule, address, message: `${address} is lost.` })),
    }).flatMap(groupMessages)
  const names = 'Bucket/a, Bucket/b, Bucket/c and 2 more'

  test.each([
    ['data-loss', {}, `Removing 5 resources deletes their data: ${names}.`],
    ['data-loss', retention, `Updating 5 resources loses data (retentionRules): ${names}.`],
    ['protect', {}, `5 resources are protected and would be removed: ${names}.`],
    ['adoption', {}, `5 resources already exist and belong to no stack; they would be adopted: ${names}.`],
  ] as const)('%s %#', (rule, change, message) => {
    expect(messages(rule, change)).toEqual([message])
  })

  test('removals that lose different things have a sentence for each', () => {
    const loss: Readonly<Record<string, string>> = { Bucket: 'data', Task: 'run history', Label: 'mappings' }
    const some = ['Bucket/a', 'Label/a', 'Label/b', 'Task/a', 'Task/b'] as Address[]
    const [group] = approvalGroups('boards', {
      changes: some.map((address) => ({ ...removal, address, lost: loss[address.split('/')[0]!]! })),
      needsApproval: some.map((address) => ({
        rule: 'data-loss',
        address,
        message: lossMessage({ address, lost: loss[address.split('/')[0]!]! }),
      })),
    })
    expect(groupMessages(group!)).toEqual([
      'Removing Bucket/a deletes its data.',
      'Removing 2 resources deletes their mappings: Label/a and Label/b.',
      'Removing 2 resources deletes their run history: Task/a and Task/b.',
    ])
  })

  test('adopted resources have a sentence of their own', () => {
    const some = ['Bucket/a', 'Bucket/b', 'Label/a', 'Label/b'] as Address[]
    const changes = some.map((address): Change => {
      const lost = address.startsWith('Bucket/') ? { losesData: true as const, lost: 'data' } : {}
      return { ...removal, address, ...lost, ...(address === 'Bucket/a' ? {} : { adopted: true as const }) }
    })
    const needsApproval = changes.map((change) => {
      return { rule: 'data-loss' as const, address: change.address, message: lossMessage(change) }
    })
    expect(approvalGroups('boards', { changes, needsApproval }).flatMap(groupMessages)).toEqual([
      'Removing 2 resources deletes their data: Bucket/a and Bucket/b.',
      '3 resources would be removed that existed before this stack adopted them: Bucket/b, Label/a and Label/b.',
    ])
    expect(needsApproval.slice(1, 3).map(({ message }) => message)).toEqual([
      'Removing Bucket/b deletes its data. Bucket/b existed before this stack adopted it.',
      'Removing Label/a deletes a resource that existed before this stack adopted it.',
    ])
  })

  test('up to three are listed one by one', () => {
    expect(messages('data-loss', {}, addresses.slice(0, 3))).toEqual([
      'Bucket/a is lost.',
      'Bucket/b is lost.',
      'Bucket/c is lost.',
    ])
  })
})
