// The forms of settings: how each is written in a document and shown in an answer, and what it is in the program.
import { z } from 'zod'
import { memoizeByObject } from '../lib/memoize.js'
import { parseFieldPath } from '../lib/text/field-path.js'
import { checkedText, intervalText } from './schema/checked-text.js'
import { secretReferencesDocument, valuesDocument } from './documents/inputs-document.js'
import { parseInterval, printInterval } from './schema/interval.js'
import { labelsDocument } from './labels.js'
import {
  schedule,
  timeZone,
  toSyncWindow,
  toWindowDocument,
  windowsAnswer,
  windowsDocument,
} from './documents/schedule-document.js'
import { sourcesAnswer, sourcesDocument, toSourceDocument, toSourceSpec } from './documents/source-document.js'
import type { AnySetting, FormName, FormValues } from './stack-settings.js'
import { strictObject } from './schema/strict-object.js'

const leastIntervalMs = 5_000
const greatestIntervalMs = 7 * 86_400_000

export const mostDependencies = 50

export const mostIgnored = 200

/** A DNS label: names of stacks and targets. */
export const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be 1 to 63 of a-z, 0-9 and -, with neither a - first nor last.')

export const displayName = z
  .string()
  .regex(/^[^\x00-\x1f\x7f]{0,200}$/, 'must be at most 200 characters, without control characters.')

export const description = z
  .string()
  .regex(/^[^\x00-\x08\x0b-\x1f\x7f]{0,2000}$/, 'must be at most 2000 characters, without control characters.')

const member = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/

/** The name of an existing stack: a DNS label, or `FLEET.TARGET` of a stack that a fleet of targets made. */
export const stackName = z
  .string()
  .regex(member, 'must be 1 to 63 of a-z, 0-9 and -, with neither a - first nor last, or FLEET.TARGET.')

/** The longest name of a stack. */
export const mostNameCharacters = 63 + 1 + 63

/** A length of time between 5 s and 7 days: `30s`, `5m`, `1h`. */
const interval = intervalText('30s, 5m, 1h').refine((value) => intervalFits(value), 'must be between 5s and 7d.')

const names = z.array(stackName).max(mostDependencies, `must list at most ${mostDependencies} stacks.`)

const addresses = z.array(checkedText(protectProblem)).max(1_000, 'must list at most 1000 addresses.')

const ignoredField = strictObject({
  family: z
    .string()
    .regex(/^[A-Za-z][\w.-]{0,99}$/, 'must be a family, such as Dashboard.')
    .describe('The resources that it applies to: Dashboard.'),
  path: checkedText((value) =>
    value.length <= 500 && parseFieldPath(value) !== undefined
      ? undefined
      : 'must be the path of a field as plans print it, such as charts[*].yPos.',
  ).describe('The field as plans print it; * means any key or index.'),
})

const texts = z.array(z.string()).readonly()

/**
 * `document`: as people write it; `answer`: as the API shows it. `read` and `print`: between a document and
 * `StackSpec`; absent: it is the same in both.
 */
interface Form<Value, Document extends z.ZodType, Answer extends z.ZodType> {
  readonly document: Document
  readonly answer: Answer
  readonly read?: (written: z.output<Document>) => Value
  readonly print?: (value: Value) => z.output<Document>
}

function form<Value, Document extends z.ZodType, Answer extends z.ZodType>(
  entry: Form<Value, Document, Answer>,
): Form<Value, Document, Answer> {
  return entry
}

export const settingForms = {
  dnsLabel: form({ document: dnsLabel, answer: z.string() }),
  displayName: form({ document: displayName, answer: z.string() }),
  description: form({ document: description, answer: z.string() }),
  labels: form({ document: labelsDocument, answer: z.record(z.string(), z.string()) }),
  schedule: form({ document: schedule, answer: z.string() }),
  timeZone: form({ document: timeZone, answer: z.string() }),
  interval: form({
    document: interval,
    answer: z.int(),
    read: (written: string) => parseInterval(written)!,
    print: printInterval,
  }),
  count: form({ document: z.int().min(0).max(1_000_000), answer: z.int() }),
  names: form({ document: names, answer: texts }),
  addresses: form({ document: addresses, answer: texts }),
  fields: form({
    document: z.array(ignoredField).max(mostIgnored, `must list at most ${mostIgnored} fields.`),
    answer: z
      .array(
        z.object({
          family: z.string().describe('The resources that it applies to: Dashboard.'),
          path: z.string().describe('The field as plans print it; * means any key or index.'),
        }),
      )
      .readonly(),
  }),
  windows: form({
    document: windowsDocument,
    answer: windowsAnswer,
    read: (written): FormValues['windows'] => written.map(toSyncWindow),
    print: (windows: FormValues['windows']) => windows.map(toWindowDocument),
  }),
  sources: form({
    document: sourcesDocument,
    answer: sourcesAnswer,
    read: (written): FormValues['sources'] => written.map(toSourceSpec),
    print: (sources: FormValues['sources']) => sources.map(toSourceDocument),
  }),
  values: form({
    document: valuesDocument,
    answer: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  }),
  secrets: form({ document: secretReferencesDocument, answer: z.record(z.string(), z.string()) }),
}

export type SettingForms = typeof settingForms

/** The form of a setting without its types. A list of choices is written as one of its words. */
export function formOf({ form: name }: Pick<AnySetting, 'form'>): Form<unknown, z.ZodType, z.ZodType> {
  if (typeof name !== 'string') return choicesForm(name)
  return settingForms[name satisfies FormName] as Form<unknown, z.ZodType, z.ZodType>
}

/** Making a schema takes longer than reading a setting with it. */
const choicesForm = memoizeByObject((choices: readonly string[]): Form<unknown, z.ZodType, z.ZodType> => {
  return { document: z.enum(choices), answer: z.enum(choices) }
})

function intervalFits(value: string): boolean {
  const ms = parseInterval(value)
  return ms === undefined || (ms >= leastIntervalMs && ms <= greatestIntervalMs)
}

function protectProblem(value: string): string | undefined {
  const wild = value.replace(/\/\*$/, '/')
  if (
    value.length <= 1_000 &&
    /^[^/*\x00-\x20]+\/[^*\x00-\x1f\x7f]*$/.test(wild) &&
    (wild !== value || !value.endsWith('/'))
  )
    return undefined
  return 'must be an address such as Bucket/raw, or all of a family: Dashboard/*.'
}
