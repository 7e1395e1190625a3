// Rules of a kind as a table: what keeps each, what breaks it, and the fields of the errors then.
import { describe, expect, test } from 'vitest'
import { errorsOf } from '../../../src/model/problem.js'
import { buildYaml, errorFields } from '../read-texts.js'

export type Rules = Readonly<Record<string, readonly [good: string, bad: string, ...fields: string[]]>>

/** `root[0].spec.name kinds/too-short`, or the field alone where any code will do. */
export function describeRules(rules: Rules): void {
  describe.each(Object.entries(rules))('%s', (_rule, [good, bad, ...fields]) => {
    test('is kept', () => {
      expect(errorFields(buildYaml(good).problems)).toEqual([])
    })
    test('is reported at its field', () => {
      const errors = errorsOf(buildYaml(bad).problems)
      const withCodes = errors.map(({ field, code }, at) =>
        fields[at]?.includes(' ') === true ? `${field} ${code}` : field,
      )
      expect(withCodes).toEqual(fields)
      expect(errors.every(({ place }) => place!.line > 0)).toBe(true)
    })
  })
}

export type Remarks = Readonly<Record<string, readonly [text: string, field: string, code: string]>>

/** What is accepted, and remarked upon at its field. */
export function describeRemarks(remarks: Remarks): void {
  test.each(Object.entries(remarks))('a warning, no error: %s', (_title, [text, field, code]) => {
    const problems = buildYaml(text).problems.map(({ severity, field, code }) => ({ severity, field, code }))
    expect(problems).toEqual([{ severity: 'warning', field, code }])
  })
}
