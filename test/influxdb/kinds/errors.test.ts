import { describe, expect, test } from 'vitest'
import { buildYaml, doc, docs, errorFields } from '../read-texts.js'

const red = doc('Label', 'red')
const query = 'from(bucket: "raw") |> last()'
const task = (spec: object): string => doc('Task', 'hourly', { query, every: '1h', ...spec })
const rule = (rule: object): string => doc('Bucket', 'raw', { retentionRules: [rule] })
const schema = (name: string, columns: readonly object[]): string =>
  doc('Bucket', 'raw', { measurementSchemas: [{ name, columns }] })
const time = { name: 'time', type: 'timestamp' }
const value = { name: 'value', type: 'field', dataType: 'float' }
const at = 'root[0].spec.measurementSchemas[0]'

/** For each rule: what keeps it, what breaks it, and the fields of the errors then. */
const rules: Readonly<Record<string, readonly [good: string, bad: string, ...fields: string[]]>> = {
  // 1.1
  'apiVersion is v2alpha1 or v2alpha2': [
    doc('Bucket', 'raw', {}, { apiVersion: 'influxdata.com/v2alpha2' }),
    doc('Bucket', 'raw', {}, { apiVersion: 'influxdata.com/v1' }),
    'root[0].apiVersion',
  ],
  'an apiVersion is needed': [red, JSON.stringify({ kind: 'Label', metadata: { name: 'red' } }), 'root[0].apiVersion'],
  'a kind is needed': [
    red,
    JSON.stringify({ apiVersion: 'influxdata.com/v2alpha1', metadata: { name: 'red' } }),
    'root[0].kind',
  ],
  'a kind is known': [red, doc('Lamp', 'red'), 'root[0].kind'],
  'a kind is compared with regard to case': [red, doc('label', 'red'), 'root[0].kind'],
  'a generic kind is no kind': [red, doc('NotificationEndpoint', 'red'), 'root[0].kind'],
  'a part is no kind': [red, doc('LabelMapping', 'red', {}, { apiVersion: 'gitmoor/part' }), 'root[0].kind'],
  'the apiVersion of a part is unknown': [
    red,
    doc('Label', 'red', {}, { apiVersion: 'gitmoor/part' }),
    'root[0].apiVersion',
  ],
  'spec is a map': [doc('Label', 'red', {}, { spec: null }), doc('Label', 'red', {}, { spec: 'red' }), 'root[0].spec'],
  // 1.2
  'a metadata.name is a DNS label': [doc('Label', 'a-1'), doc('Label', 'Red.1'), 'root[0].metadata.name'],
  'a metadata.name has at most 63 characters': [
    doc('Label', 'a'.repeat(63)),
    doc('Label', 'a'.repeat(64)),
    'root[0].metadata.name',
  ],
  'a metadata.name does not end in a hyphen': [doc('Label', 'a-b'), doc('Label', 'ab-'), 'root[0].metadata.name'],
  'a metadata.name is needed': [red, doc('Label', '', {}, { metadata: {} }), 'root[0].metadata.name'],
  'a metadata.name is one of its family': [
    docs(red, doc('Bucket', 'red')),
    docs(red, doc('Label', 'red', { name: 'x' })),
    'root[1].metadata.name',
  ],
  'a bucket has a display name of its own': [
    docs(doc('Bucket', 'aa'), doc('Bucket', 'bb')),
    docs(doc('Bucket', 'aa'), doc('Bucket', 'bb', { name: 'aa' })),
    'root[1].spec.name',
  ],
  'a label has a display name of its own, case and blanks apart': [
    docs(red, doc('Label', 'blue')),
    docs(red, doc('Label', 'blue', { name: ' RED' })),
    'root[1].spec.name',
  ],
  'dashboards may share a display name': [
    docs(doc('Dashboard', 'aa'), doc('Dashboard', 'bb', { name: 'aa' })),
    doc('Dashboard', 'a'),
    'root[0].spec.name',
  ],
  'a bucket name has 2 characters': [doc('Bucket', 'a', { name: 'ab' }), doc('Bucket', 'a'), 'root[0].spec.name'],
  'a label name has 2 characters': [doc('Label', 'ab'), doc('Label', 'ab', { name: 'a' }), 'root[0].spec.name'],
  'a task name has 1 character': [
    doc('Task', 'a', { query, every: '1h' }),
    doc('Dashboard', 'aa', { name: 'a' }),
    'root[0].spec.name',
  ],
  'a bucket name does not begin with _': [
    doc('Bucket', 'raw', { name: 'a_' }),
    doc('Bucket', 'raw', { name: '_ours' }),
    'root[0].spec.name',
  ],
  'a bucket name has no double quote': [
    doc('Bucket', 'raw', { name: "it's" }),
    doc('Bucket', 'raw', { name: 'a"b' }),
    'root[0].spec.name',
  ],
  // 1.3
  'numbers are texts': [doc('Label', 'red', { name: 12 }), doc('Label', 'red', { name: 1 }), 'root[0].spec.name'],
  'booleans are no texts': [
    doc('Label', 'red', { name: true }),
    doc('Label', 'r', { name: true }),
    'root[0].spec.name',
  ],
  'floats are integers, numeric texts are not': [
    rule({ type: 'expire', everySeconds: 2.592e6 }),
    rule({ type: 'expire', everySeconds: '86400' }),
    'root[0].spec.retentionRules[0].everySeconds',
  ],
  // 1.4
  'an association names a declared label': [
    docs(red, doc('Bucket', 'raw', { associations: [{ kind: 'Label', name: 'red' }] })),
    docs(red, doc('Bucket', 'raw', { associations: [{ kind: 'Label', name: 'blue' }] })),
    'root[1].associations[0]',
  ],
  'an association has a kind, of which only Label means something': [
    doc('Bucket', 'raw', { associations: [{ kind: 'Check', name: 'red' }] }),
    doc('Bucket', 'raw', { associations: [{ name: 'red' }, { kind: 'Lable', name: 'red' }] }),
    'root[0].associations[0].kind',
    'root[0].associations[1].kind',
  ],
  'an association has a name': [
    red,
    doc('Task', 'a', { query, every: '1h', associations: [{ kind: 'Label' }] }),
    'root[0].associations[0]',
  ],
  'a label is associated once': [
    docs(red, doc('Dashboard', 'ops', { associations: [{ kind: 'Label', name: 'red' }] })),
    docs(red, doc('Dashboard', 'ops', { associations: ['red', 'red'].map((name) => ({ kind: 'Label', name })) })),
    'root[1].associations[1]',
  ],
  'associations are reported after the other errors': [
    red,
    docs(
      doc('Bucket', 'raw'),
      doc('Bucket', 'b', { name: 'raw', schemaType: 'x', associations: [{ kind: 'Label', name: 'blue' }, {}] }),
    ),
    'root[1].spec.schemaType',
    'root[1].spec.name',
    'root[1].associations[1].kind',
    'root[1].associations[0]',
  ],
  'a label with a taken display name cannot be associated, one with a short name can': [
    red,
    docs(
      red,
      doc('Label', 'again', { name: 'red' }),
      doc('Label', 's'),
      doc('Bucket', 'raw', { associations: ['again', 's'].map((name) => ({ kind: 'Label', name })) }),
    ),
    'root[1].spec.name',
    'root[2].spec.name',
    'root[3].associations[0]',
  ],
  // 1.5
  'a retention rule is of type expire': [
    rule({ type: 'expire', everySeconds: 3600 }),
    rule({ type: 'EXPIRE', everySeconds: 3600 }),
    'root[0].spec.retentionRules[0].type',
  ],
  'a retention is at least an hour': [
    rule({ type: 'expire', everySeconds: 3600 }),
    rule({ type: 'expire', everySeconds: 3599 }),
    'root[0].spec.retentionRules[0].everySeconds',
  ],
  'errors of one retention rule keep their own fields': [
    red,
    rule({}),
    'root[0].spec.retentionRules[0].type',
    'root[0].spec.retentionRules[0].everySeconds',
  ],
  'a schemaType is implicit or explicit': [
    doc('Bucket', 'raw', { schemaType: 'implicit' }),
    doc('Bucket', 'raw', { schemaType: 'loose' }),
    'root[0].spec.schemaType',
  ],
  'a schema has a name without leading _ and quotes': [
    schema('cpu', [time, value]),
    schema('_cpu', [time, value]),
    `${at}.name`,
  ],
  'a schema has a name': [schema('c'.repeat(128), [time, value]), schema('', [time, value]), `${at}.name`],
  'a schema name is printable': [schema('ü b', [time, value]), schema('a\u0007b', [time, value]), `${at}.name`],
  'a schema has a column time': [schema('cpu', [time, value]), schema('cpu', [value]), `${at}.columns`],
  'a schema has a field column': [
    schema('cpu', [time, value]),
    schema('cpu', [time, { name: 'host', type: 'tag' }]),
    `${at}.columns`,
  ],
  'two columns differ in more than case': [
    schema('cpu', [time, value, { name: 'host', type: 'tag' }]),
    schema('cpu', [time, value, { name: 'Value', type: 'tag' }]),
    `${at}.columns`,
  ],
  'the column time is a timestamp': [
    schema('cpu', [time, value]),
    schema('cpu', [{ name: 'time', type: 'tag' }, value]),
    `${at}.columns[0].type`,
  ],
  'a timestamp column is called time': [
    schema('cpu', [time, value]),
    schema('cpu', [time, value, { name: 'when', type: 'timestamp' }]),
    `${at}.columns[2].name`,
  ],
  'a timestamp has no dataType': [
    schema('cpu', [time, value]),
    schema('cpu', [{ ...time, dataType: 'integer' }, value]),
    `${at}.columns[0].dataType`,
  ],
  'a tag has no dataType': [
    schema('cpu', [time, value]),
    schema('cpu', [time, value, { name: 'h', type: 'tag', dataType: 'string' }]),
    `${at}.columns[2].dataType`,
  ],
  'a field has a dataType': [
    schema('cpu', [time, value]),
    schema('cpu', [time, { name: 'v', type: 'field' }]),
    `${at}.columns[1].dataType`,
  ],
  'a dataType is known': [
    schema('cpu', [time, value]),
    schema('cpu', [time, { ...value, dataType: 'double' }]),
    `${at}.columns[1].dataType`,
  ],
  'an unknown column type stops checking that column': [
    schema('cpu', [time, value]),
    schema('cpu', [time, value, { name: 'x', type: 'label', dataType: 'double' }]),
    `${at}.columns[2].type`,
  ],
  // 1.12
  'a task has every or cron': [
    doc('Task', 'a', { query, cron: '* * * * *' }),
    doc('Task', 'a', { query }),
    'root[0].spec.every',
    'root[0].spec.cron',
  ],
  'an unparsable every is one error': [task({ every: '1h30m' }), task({ every: '1.5h' }), 'root[0].spec.every'],
  'a cron is one that a task can have': [
    doc('Task', 'a', { query, cron: ' 15 3 * * MON-FRI ' }),
    doc('Task', 'a', { query, cron: '99 99 * * *' }),
    'root[0].spec.cron',
  ],
  'a task has not both every and cron': [task({}), task({ cron: '* * * * *' }), 'root[0].spec.cron'],
  'every is whole seconds': [task({ every: '1s' }), task({ every: '1500ms' }), 'root[0].spec.every'],
  'every is above 0': [task({ every: '2000ms' }), task({ every: '-1h' }), 'root[0].spec.every'],
  'offset is whole seconds': [task({ offset: '-30s' }), task({ offset: '10ms' }), 'root[0].spec.offset'],
  'a task has a query': [task({}), task({ query: ' \n' }), 'root[0].spec.query'],
  'a status is active or inactive': [task({ status: ' Inactive ' }), task({ status: 'paused' }), 'root[0].spec.status'],
  // 1.13
  'an envRef has its default or a placeholder': [
    docs(
      doc('Label', '', {}, { metadata: { name: { envRef: { key: 'a' } } } }),
      doc('Bucket', 'raw', { associations: [{ kind: 'Label', name: 'env-a' }] }),
    ),
    doc('Label', '', {}, { metadata: { name: { envRef: { key: 'a', default: 'No' } } } }),
    'root[0].metadata.name',
  ],
  'an envRef has a key': [
    red,
    doc('Label', '', {}, { metadata: { name: { envRef: { default: 'red' } } } }),
    'root[0].metadata.name',
  ],
}

describe.each(Object.entries(rules))('%s', (_rule, [good, bad, ...fields]) => {
  test('is kept', () => {
    expect(errorFields(buildYaml(good).problems)).toEqual([])
  })
  test('is reported at its field', () => {
    expect(errorFields(buildYaml(bad).problems)).toEqual(fields)
  })
})

/** What is accepted, and remarked upon at its field. */
const remarks: Readonly<Record<string, readonly [text: string, field: string, hint?: string]>> = {
  'an unknown field, with what may have been meant': [
    doc('Bucket', 'raw', { descriptin: 'x' }),
    'root[0].spec.descriptin',
    'Did you mean "description"?',
  ],
  'an unknown field beside spec': [doc('Bucket', 'raw', {}, { status: {} }), 'root[0].status'],
  'an unknown field of metadata': [
    doc('Bucket', 'raw', {}, { metadata: { name: 'raw', labels: {} } }),
    'root[0].metadata.labels',
  ],
  'a key that must be escaped in a pointer': [doc('Bucket', 'raw', { 'a/b~c': 1 }), 'root[0].spec.a/b~c'],
  'a value of another type': [
    doc('Bucket', 'raw', { description: false }),
    'root[0].spec.description',
    'Write a text, or remove the field.',
  ],
  'a reference where none is allowed': [
    doc('Bucket', 'raw', { description: { envRef: { key: 'words' } } }),
    'root[0].spec.description',
    'Write a text instead: only names and credentials may be references.',
  ],
  'an entry that is not a map': [
    doc('Bucket', 'raw', { retentionRules: [3600] }),
    'root[0].spec.retentionRules',
    'Write a map, or remove the entry.',
  ],
  'associations of a label': [doc('Label', 'red', { associations: [] }), 'root[0].associations'],
  'a second retention rule': [
    doc('Bucket', 'raw', { retentionRules: [3600, 7200].map((everySeconds) => ({ type: 'expire', everySeconds })) }),
    'root[0].spec.retentionRules',
  ],
  'an offset that is not a duration': [task({ offset: '1 h' }), 'root[0].spec.offset'],
  'an every that is not a duration beside cron': [
    doc('Task', 'a', { query, cron: '@daily', every: 'daily' }),
    'root[0].spec.every',
  ],
}

test.each(Object.entries(remarks))('a warning, no error: %s', (_title, [text, field, hint]) => {
  const { problems } = buildYaml(text)
  expect(problems.map(({ severity, field }) => ({ severity, field }))).toEqual([{ severity: 'warning', field }])
  if (hint !== undefined) expect(problems[0]!.hint).toBe(hint)
})

test.each([
  ['1h', '"1h" ', 'Write 3600.'],
  ['soon', '"soon" ', 'Write a number of seconds, such as 3600 for 1h.'],
  ['1s', '"1s" ', 'Write a number of seconds, such as 3600 for 1h.'],
  [true, '', 'Write a number of seconds, such as 3600 for 1h.'],
])('an everySeconds of %s is one error, which names a number', (everySeconds, shown, hint) => {
  const { problems } = buildYaml(rule({ type: 'expire', everySeconds }))
  expect(problems).toMatchObject([
    {
      severity: 'error',
      code: 'kinds/wrong-type',
      message: expect.stringContaining(`everySeconds ${shown}is not a number of seconds`) as string,
      hint,
    },
  ])
})

test('an error of a kind names what may have been meant, or the kinds that there are', () => {
  const hints = [doc('Bukket', 'a'), doc('Lamp', 'a'), doc('Check', 'a'), doc('NotificationEndpoint', 'a')].map(
    (text) => buildYaml(text).problems[0]!.hint,
  )
  expect(hints).toEqual([
    'Did you mean "Bucket"?',
    'The kinds are Bucket, CheckDeadman, CheckThreshold, Dashboard, Label, NotificationEndpointHTTP, NotificationEndpointPagerDuty, NotificationEndpointSlack, NotificationRule, Task, Telegraf and Variable.',
    'Use CheckDeadman or CheckThreshold.',
    'Use NotificationEndpointHTTP, NotificationEndpointPagerDuty or NotificationEndpointSlack.',
  ])
})
