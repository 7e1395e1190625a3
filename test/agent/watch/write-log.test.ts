import { expect, test } from 'vitest'
import { openLog, type LogOptions } from '../../../src/agent/watch/write-log.js'
import { Redactor } from '../../../src/secrets/redact/redact.js'

function linesOf(options: Partial<LogOptions>, write: (log: ReturnType<typeof openLog>) => void): readonly string[] {
  const lines: string[] = []
  write(
    openLog({ level: 'info', format: 'text', write: (line) => lines.push(line), redact: (text) => text, ...options }),
  )
  return lines.map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME'))
}

test('a line for people has the time, the level, the message and its facts', () => {
  const lines = linesOf({}, (log) => {
    log.info('agent started', { url: 'http://127.0.0.1:4470', port: 4470, hint: undefined })
    log.warn('source unreachable', { stack: 'boards' })
    log.error('agent stops')
  })
  expect(lines).toEqual([
    'TIME info  agent started  url=http://127.0.0.1:4470 port=4470\n',
    'TIME warn  source unreachable  stack=boards\n',
    'TIME error agent stops\n',
  ])
})

test.each([
  ['an empty text', '', '""'],
  ['a sentence', 'Cannot read it.', '"Cannot read it."'],
  ['a query of an address', 'http://h/?a=b', '"http://h/?a=b"'],
  ['a quotation mark', 'the key "a"', String.raw`"the key \"a\""`],
  ['a line break', 'one\ntwo', String.raw`"one\ntwo"`],
  ['an escape sequence', '\u001b[31m', String.raw`"\u001b[31m"`],
  ['a mark of writing direction', 'a\u202eb', String.raw`"a\u202eb"`],
  ['a list', ['a b', 'c'], '["a b","c"]'],
])('a fact of the text log that is %s stays one value on one line', (_, value, shown) => {
  expect(linesOf({}, (log) => log.info('polled', { value, stack: 'boards' }))).toEqual([
    `TIME info  polled  value=${shown} stack=boards\n`,
  ])
})

test('messages that are printed elsewhere are lines of the text log only at level debug', () => {
  const elsewhere = { printedElsewhere: ['run ended'] }
  expect(linesOf(elsewhere, (log) => log.info('run ended'))).toEqual([])
  expect(linesOf({ ...elsewhere, level: 'debug' }, (log) => log.info('run ended'))).toEqual(['TIME info  run ended\n'])
})

test('debug messages are written only at level debug', () => {
  for (const format of ['text', 'json'] as const) {
    expect(linesOf({ format }, (log) => log.debug('looked'))).toEqual([])
    expect(linesOf({ format, level: 'debug' }, (log) => log.debug('looked'))).toHaveLength(1)
  }
  expect(linesOf({ level: 'debug' }, (log) => log.debug('looked', { bytes: 3 }))).toEqual([
    'TIME debug looked  bytes=3\n',
  ])
})

test('a program reads every message as one JSON object a line, with its level as a word', () => {
  const lines = linesOf({ format: 'json', level: 'debug', printedElsewhere: ['run ended'] }, (log) => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('run ended', { run: '1' })
  })
  expect(lines).toEqual(
    ['debug', 'info', 'warn', 'error'].map(
      (level) => `{"level":"${level}","time":"TIME","run":"1","msg":"run ended"}\n`,
    ),
  )
})

test.each(['text', 'json'] as const)('a line of %s shows no secret and no control character', (format) => {
  const redact = (text: string): string => text.replaceAll('hunter2', '(redacted)')
  const [line] = linesOf({ format, redact }, (log) => log.error('request failed', { error: 'hunter2 \u001b[31m' }))
  expect(line).toContain('(redacted)')
  expect(line).not.toContain('\u001b')
})

test('a line of JSON stays JSON where a secret is next to an escape', () => {
  const redactor = new Redactor()
  redactor.add('n secret')
  const [line] = linesOf({ format: 'json', redact: (text) => redactor.redact(text) }, (log) =>
    log.error('request failed', { error: 'first\n secret ?token=abc"more', path: 'C:\\n secret' }),
  )
  expect(JSON.parse(line!)).toMatchObject({ path: 'C:\\(redacted)' })
})
