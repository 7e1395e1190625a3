import { expect, test } from 'vitest'
import { openLog, type LogOptions } from '../../../src/agent/watch/write-log.js'
import { Redactor } from '../../../src/secrets/redact/redact.js'

function linesOf(options: Partial<LogOptions>, tell: (log: ReturnType<typeof openLog>) => void): readonly string[] {
  const lines: string[] = []
  tell(
    openLog({ level: 'info', format: 'text', write: (line) => lines.push(line), redact: (text) => text, ...options }),
  )
  return lines.map((line) => line.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME'))
}

test('a line for people has the time, the message and its facts, and the level only where it matters', () => {
  const lines = linesOf({}, (log) => {
    log.info('agent started', { url: 'http://127.0.0.1:4470', port: 4470, hint: undefined })
    log.warn('source not seen', { stack: 'boards' })
  })
  expect(lines).toEqual([
    'TIME agent started  url=http://127.0.0.1:4470  port=4470\n',
    'TIME warn: source not seen  stack=boards\n',
  ])
})

test('messages that are printed elsewhere are lines of the text log only at level debug', () => {
  const told = { printedElsewhere: ['run ended'] }
  expect(linesOf(told, (log) => log.info('run ended'))).toEqual([])
  expect(linesOf({ ...told, level: 'debug' }, (log) => log.info('run ended'))).toEqual(['TIME run ended\n'])
})

test('debug messages are written only at level debug', () => {
  for (const format of ['text', 'json'] as const) {
    expect(linesOf({ format }, (log) => log.debug('looked'))).toEqual([])
    expect(linesOf({ format, level: 'debug' }, (log) => log.debug('looked'))).toHaveLength(1)
  }
  expect(linesOf({ level: 'debug' }, (log) => log.debug('looked', { bytes: 3 }))).toEqual([
    'TIME debug: looked  bytes=3\n',
  ])
})

test('a program reads every message as one JSON object a line', () => {
  const lines = linesOf({ format: 'json', printedElsewhere: ['run ended'] }, (log) =>
    log.info('run ended', { run: '1' }),
  )
  expect(lines).toEqual(['{"level":30,"time":"TIME","run":"1","msg":"run ended"}\n'])
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
