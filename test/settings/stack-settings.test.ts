import { describe, expect, test } from 'vitest'
import { settingAnswers } from '../../src/settings/setting-answers.js'
import { formOf } from '../../src/settings/setting-forms.js'
import { readStackDocument, stackDocument, stackPatchDocument } from '../../src/settings/documents/stack-document.js'
import { decidingSettings, settingEntries, specKey, stackDefaults } from '../../src/settings/stack-settings.js'

const names = settingEntries.map(([name]) => name)

describe('the table of settings', () => {
  test('decides again after a change of these settings, and of no others', () => {
    const deciding = settingEntries.filter(([, { decides }]) => decides).map(([name]) => name)
    expect(deciding).toEqual(
      'target sources apply onFailure maxDeletes adopt dataLoss ignore protect values secrets'.split(' '),
    )
    expect(names.filter((name) => !deciding.includes(name))).toEqual(
      'displayName description labels interval driftInterval schedule timeZone windows dependsOn drift'.split(' '),
    )
  })

  test('makes the documents: all settings are optional in a patch', () => {
    const single = ['setValues', 'setSecrets', 'setLabels', 'addIgnore', 'unset']
    expect(Object.keys(stackDocument.shape)).toEqual(['name', ...names])
    expect(Object.keys(stackPatchDocument.shape)).toEqual(['source', ...names, ...single])
    expect(stackPatchDocument.safeParse({}).success).toBe(true)
  })

  test('makes the schemas of each setting once: files declare thousands of stacks', () => {
    for (const [, setting] of settingEntries) expect(formOf(setting)).toBe(formOf(setting))
  })

  test('gives each default to a document that does not mention the setting', () => {
    const { value } = readStackDocument('boards.yaml', 'name: boards\nsources: [{ url: https://git.example/boards }]\n')
    const { name: _, sources: __, ...rest } = value!
    expect(rest).toEqual(stackDefaults)
  })

  test('makes the schema of answers, with durations in milliseconds', () => {
    expect(Object.keys(settingAnswers)).toEqual(names.map(specKey))
    expect(specKey('interval')).toBe('intervalMs')
    expect(settingAnswers.intervalMs.safeParse(5_000).success).toBe(true)
  })
})

test('settings that are absent do not decide, so a stored digest stays the same when a version adds one', () => {
  expect(decidingSettings({ ...stackDefaults, name: 'boards', sources: [], displayName: 'Boards' })).toEqual({
    target: 'local',
    sources: [],
    apply: 'auto',
    maxDeletes: 10,
    adopt: 'allow',
    dataLoss: 'refuse',
    ignore: [],
    protect: [],
  })
})
