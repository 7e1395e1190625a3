// The stack document: what a person writes of a stack, in the configuration file, with `-f`, over the API, and what
// `stack get -o yaml` prints.
import { stringify } from 'yaml'
import { z } from 'zod'
import { errorsOf, type Checked } from '../model/problem.js'
import { stackDefaults, type StackSpec, type StackSpecPatch } from '../model/stack.js'
import { intervalPattern, parseInterval, printInterval } from './interval.js'
import { checkYaml, readYaml } from './read-yaml.js'
import { parseFieldPath } from '../lib/field-path.js'
import { checkedText } from './checked-text.js'
import {
  plainPath,
  toSourceDocument,
  sourcePatchDocument,
  sourcesDocument,
  toSourceSpec,
  withResolvedAddresses,
} from './source-document.js'
import { schedule, timeZone, toWindowDocument, toSyncWindow, windowsDocument } from './schedule-document.js'
import { strictObject } from './strict-object.js'
import { valuesDocument, secretReferencesDocument, secretsNotTaken } from './inputs-document.js'

export const leastIntervalMs = 5_000
export const greatestIntervalMs = 7 * 86_400_000

export const mostDependencies = 50

/** A DNS label: names of stacks and targets. */
export const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'must be 1 to 63 of a-z, 0-9 and -, with neither a - first nor last.')

const displayName = z
  .string()
  .regex(/^[^\x00-\x1f\x7f]{0,200}$/, 'must be at most 200 characters, without control characters.')
  .describe('The name people see.')
const description = z
  .string()
  .regex(/^[^\x00-\x08\x0b-\x1f\x7f]{0,2000}$/, 'must be at most 2000 characters, without control characters.')
  .describe('What it is for.')
/** A length of time between 5 s and 7 days: `30s`, `5m`, `1h`. */
export const interval = z
  .string()
  .regex(intervalPattern, 'must be a whole number and a unit: 30s, 5m, 1h.')
  .refine((value) => intervalFits(value), 'must be between 5s and 7d.')

const ignoredField = strictObject({
  family: z.string().regex(/^[A-Za-z][\w.-]{0,99}$/, 'must be a family, such as Dashboard.'),
  path: checkedText((value) =>
    value.length <= 500 && parseFieldPath(value) !== undefined
      ? undefined
      : 'must be the path of a field as plans print it, such as charts[*].yPos.',
  ),
})

/** The fields that a document and a change of settings share. */
const patchableSettings = {
  schedule,
  timeZone,
  dependsOn: z
    .array(dnsLabel)
    .max(mostDependencies, `must list at most ${mostDependencies} stacks.`)
    .describe('Stacks that are to be ready before this one is synced without a person asking.'),
  drift: z
    .enum(['correct', 'report', 'ignore'])
    .describe('What is done about a target that differs though the revision does not.'),
  apply: z.enum(['auto', 'approval']).describe('approval: every plan waits for a person.'),
  onFailure: z.enum(['undo', 'continue']).describe("Absent: the platform's own way."),
  maxDeletes: z.int().min(0).max(1_000_000).describe('More removals than this in one plan wait for a person.'),
  adopt: z
    .enum(['allow', 'refuse'])
    .describe('refuse: a plan that takes over what is there already waits for a person.'),
  dataLoss: z.enum(['refuse', 'allow']).describe('refuse: a plan that loses data waits for a person.'),
  ignore: z.array(ignoredField).max(200, 'must list at most 200 fields.').describe('Fields that others own.'),
  protect: z
    .array(checkedText(protectProblem))
    .max(1_000, 'must list at most 1000 addresses.')
    .describe('Addresses, or Family/*, whose removal always waits for a person.'),
}

const stackShape = {
  name: dnsLabel,
  displayName: displayName.optional(),
  description: description.optional(),
  target: dnsLabel.default(stackDefaults.target),
  sources: sourcesDocument,
  interval: interval.default(printInterval(stackDefaults.intervalMs)),
  driftInterval: interval.default(printInterval(stackDefaults.driftIntervalMs)),
  schedule: patchableSettings.schedule.default(stackDefaults.schedule),
  timeZone: patchableSettings.timeZone.default(stackDefaults.timeZone),
  windows: windowsDocument.default([]),
  dependsOn: patchableSettings.dependsOn.default([]),
  drift: patchableSettings.drift.default(stackDefaults.drift),
  apply: patchableSettings.apply.default(stackDefaults.apply),
  onFailure: patchableSettings.onFailure.optional(),
  maxDeletes: patchableSettings.maxDeletes.default(stackDefaults.maxDeletes),
  adopt: patchableSettings.adopt.default(stackDefaults.adopt),
  dataLoss: patchableSettings.dataLoss.default(stackDefaults.dataLoss),
  ignore: patchableSettings.ignore.default([]),
  protect: patchableSettings.protect.default([]),
  values: valuesDocument.optional(),
}

export const stackDocument = strictObject(stackShape, secretsNotTaken)

/** A stack of the configuration file. */
export const declaredStackDocument = strictObject({ ...stackShape, secrets: secretReferencesDocument.optional() })

/** Settings given anew; what is absent stays. */
export const stackPatchDocument = strictObject(
  {
    source: sourcePatchDocument.optional(),
    sources: sourcesDocument.optional(),
    target: dnsLabel.optional(),
    displayName: displayName.optional(),
    description: description.optional(),
    interval: interval.optional(),
    driftInterval: interval.optional(),
    windows: windowsDocument.optional(),
    ...z.object(patchableSettings).partial().shape,
    values: valuesDocument.optional(),
  },
  secretsNotTaken,
)

/** As written: what has a default may be absent. */
export type StackDocument = z.input<typeof stackDocument>
export type StackPatchDocument = z.input<typeof stackPatchDocument>

/** The document as the program has it, with every default. */
export function toStackSpec(document: z.output<typeof declaredStackDocument>): StackSpec {
  const {
    interval: every,
    driftInterval,
    sources,
    windows,
    displayName: shown,
    description: said,
    onFailure,
    values,
    secrets,
    ...rest
  } = document
  return {
    ...rest,
    sources: sources.map(toSourceSpec),
    intervalMs: parseInterval(every)!,
    driftIntervalMs: parseInterval(driftInterval)!,
    windows: windows.map(toSyncWindow),
    ...(shown === undefined ? {} : { displayName: shown }),
    ...(said === undefined ? {} : { description: said }),
    ...(onFailure === undefined ? {} : { onFailure }),
    ...(values === undefined ? {} : { values }),
    ...(secrets === undefined ? {} : { secrets }),
  }
}

export function toStackPatch(document: z.output<typeof stackPatchDocument>): StackSpecPatch {
  const { source, sources, interval: every, driftInterval, windows, ...rest } = document
  return withoutAbsent({
    ...rest,
    source:
      source && withoutAbsent({ ...source, path: source.path === undefined ? undefined : plainPath(source.path) }),
    sources: sources?.map(toSourceSpec),
    intervalMs: every === undefined ? undefined : parseInterval(every),
    driftIntervalMs: driftInterval === undefined ? undefined : parseInterval(driftInterval),
    windows: windows?.map(toSyncWindow),
  })
}

/** The way back: the document of a spec, with every default written out. */
export function toStackDocument(spec: StackSpec): z.output<typeof stackDocument> {
  return {
    name: spec.name,
    ...(spec.displayName === undefined ? {} : { displayName: spec.displayName }),
    ...(spec.description === undefined ? {} : { description: spec.description }),
    target: spec.target,
    sources: spec.sources.map(toSourceDocument),
    interval: printInterval(spec.intervalMs),
    driftInterval: printInterval(spec.driftIntervalMs),
    schedule: spec.schedule,
    timeZone: spec.timeZone,
    windows: spec.windows.map(toWindowDocument),
    dependsOn: [...spec.dependsOn],
    drift: spec.drift,
    apply: spec.apply,
    ...(spec.onFailure === undefined ? {} : { onFailure: spec.onFailure }),
    maxDeletes: spec.maxDeletes,
    adopt: spec.adopt,
    dataLoss: spec.dataLoss,
    ignore: spec.ignore.map((one) => ({ ...one })),
    protect: [...spec.protect],
    ...(spec.values === undefined ? {} : { values: { ...spec.values } }),
  }
}

/** YAML that `readStackDocument` reads back to the same spec. */
export function printStackDocument(spec: StackSpec): string {
  return stringify(toStackDocument(spec), { lineWidth: 0 })
}

/**
 * Reads what `-f FILE` names. All problems at once, each with its line. `directory`: where an address like `./boards`
 * begins; absent: such an address is refused.
 */
export function readStackDocument(file: string, text: string, directory?: string): Checked<StackSpec | undefined> {
  const yaml = readYaml(file, text, 'stacks')
  if (yaml.value === undefined) return { value: undefined, problems: yaml.problems }
  const value = directory === undefined ? yaml.value.value : withResolvedAddresses(yaml.value.value, directory)
  const document = checkYaml({ ...yaml.value, value }, stackDocument, 'stacks')
  return {
    value: errorsOf(document.problems).length > 0 ? undefined : toStackSpec(document.value!),
    problems: document.problems,
  }
}

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

function withoutAbsent<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}
