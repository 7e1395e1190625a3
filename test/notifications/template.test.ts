// Bodies of webhooks of our own: values are escaped as the type of the body needs it.
import { describe, expect, test } from 'vitest'
import { fillTemplate, templateProblem } from '../../src/notifications/template.js'

const names = ['count', 'title', 'transitions']
const hostile = { title: 'a "quote" & <b>\n${secret} \\', transitions: '[{"stack":"a"}]' }

describe('a template', () => {
  test('of JSON stays JSON, whatever its values contain', () => {
    const filled = fillTemplate('{"text": "${title}", "all": ${transitions}}', 'application/json', hostile)
    expect(JSON.parse(filled)).toEqual({ text: hostile.title, all: [{ stack: 'a' }] })
  })

  test('of a form has escaped values', () => {
    const filled = fillTemplate('text=${title}&more=1', 'application/x-www-form-urlencoded', hostile)
    expect([...new URLSearchParams(filled)]).toEqual([
      ['text', hostile.title],
      ['more', '1'],
    ])
  })

  test('of text has its values as they are, and none is read for placeholders again', () => {
    expect(fillTemplate('${title}: ${transitions}', 'text/plain', hostile)).toBe(
      `${hostile.title}: ${hostile.transitions}`,
    )
  })

  test.each([
    ['{"text": "${title}"}', 'application/json', undefined],
    ['{"all": ${transitions}}', 'application/json', undefined],
    ['{"count": ${count}}', 'application/json', undefined],
    ['{"count": "${count}"}', 'application/json', undefined],
    ['{"text": ${title}}', 'application/json', 'is not valid JSON'],
    ['{"text": "${titel}"}', 'application/json', 'has the placeholder ${titel}, which does not exist'],
    ['text=${title}', 'application/x-www-form-urlencoded', undefined],
    ['${title', 'text/plain', undefined],
    ['${}', 'text/plain', 'has the placeholder ${}, which does not exist'],
  ] as const)('%s as %s: %s', (template, type, problem) => {
    const found = templateProblem(template, type, names)
    expect(found?.slice(0, problem?.length)).toBe(problem)
  })
})
