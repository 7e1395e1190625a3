import { expect, test } from 'vitest'
import {
  fieldAt,
  formatProblem,
  formatWithSeverity,
  inFileOrder,
  problemAt,
  shownField,
} from '../../src/model/problem.js'

test.each([
  ['', 'root[3]'],
  ['/metadata/name', 'root[3].metadata.name'],
  ['/spec/charts/0/colors/12/hex', 'root[3].spec.charts[0].colors[12].hex'],
  ['/spec/associations/1', 'root[3].associations[1]'],
  ['/spec/associations/1/kind', 'root[3].associations[1].kind'],
  ['/spec/associationsToo', 'root[3].spec.associationsToo'],
  ['/spec/a~1b~0', 'root[3].spec.a/b~'],
])('the field of %j is %s', (pointer, field) => {
  expect(fieldAt(3, pointer)).toBe(field)
})

test.each<[string, { readonly field: string; readonly pointer?: string }, string]>([
  ['It is wrong.', { field: 'root[3].spec.name' }, 'spec.name'],
  ['It is wrong.', { field: 'root[3].associations[1]', pointer: '/spec/associations/1' }, 'spec.associations[1]'],
  ['It is wrong.', { field: 'root[3]', pointer: '' }, ''],
  ['It is wrong.', { field: 'stacks[0].interval' }, 'stacks[0].interval'],
  ['"stacks[0].interval" is wrong.', { field: 'stacks[0].interval' }, ''],
  ['Unknown key "ref".', { field: 'stacks[0].ref' }, 'stacks[0].ref'],
  ['The key is not used.', { field: 'envRefs' }, ''],
])('the field of %j, %j is shown as %j', (message, { field, pointer }, shown) => {
  const place = pointer === undefined ? {} : { place: { file: 'a.yml', index: 3, pointer, line: 1 } }
  expect(shownField({ severity: 'error', code: 'x/y', message, field, ...place })).toBe(shown)
})

test('formats a problem on one line: file and line, field, message', () => {
  const place = { file: 'dashboards/a.yml', index: 0, pointer: '/spec/name', line: 12 }
  const finding = { code: 'kinds/too-short', message: 'Bucket/a: the name is short.' }
  expect(formatProblem(problemAt('error', place, finding))).toBe(
    'dashboards/a.yml:12: spec.name: Bucket/a: the name is short.',
  )
  expect(formatProblem(problemAt('warning', place, finding))).toContain(':12: warning: spec.name')
  expect(formatProblem({ severity: 'error', code: 'x/y', message: 'No\nplace.' })).toBe('No\\u000aplace.')
})

test('names the severity of a problem once, before or after its place', () => {
  const place = { file: 'a.yml', index: 0, pointer: '/spec/name', line: 12 }
  const warning = problemAt('warning', place, { code: 'kinds/too-short', message: 'It is short.' })
  expect(formatProblem(warning)).toBe('a.yml:12: warning: spec.name: It is short.')
  expect(formatWithSeverity(warning)).toBe('warning: a.yml:12: spec.name: It is short.')
})

test('sorts problems by document, those of associations last in each', () => {
  const at = (index: number, pointer: string) =>
    problemAt('error', { file: 'a', index, pointer, line: 1 }, { code: 'a/b', message: '' })
  const mixed = [
    at(1, ''),
    at(0, '/spec/associations/0'),
    at(0, '/spec/name'),
    { severity: 'error', code: 'none', message: '' } as const,
  ]
  expect(inFileOrder(mixed).map(({ field }) => field)).toEqual([
    undefined,
    'root[0].spec.name',
    'root[0].associations[0]',
    'root[1]',
  ])
})
