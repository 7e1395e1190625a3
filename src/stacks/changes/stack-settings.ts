import { quoted } from '../../lib/text/printable.js'
import { Refused } from '../../model/errors.js'
import type { Problem } from '../../model/problem.js'
import type { SourceSpec } from '../../model/sources/source-spec.js'
import type { LabelChange, SourcePatch, Stack, StackSpec, StackSpecPatch } from '../../model/stacks/stack.js'
import { jsonDigest } from '../../plan/digest.js'
import type { Targets } from '../targets.js'
import { withSuggestion } from '../../settings/did-you-mean.js'
import { mostSecrets, mostValues } from '../../settings/documents/inputs-document.js'
import { mostLabels } from '../../settings/labels.js'
import { mostIgnored } from '../../settings/setting-forms.js'
import { decidingSettings, stackDefaults } from '../../settings/stack-settings.js'
import type { StackChange } from '../../store/stack-table.js'

const sourceFields: Readonly<Record<SourceSpec['kind'], readonly string[]>> = {
  git: ['url', 'ref', 'path'],
  url: ['url', 'path', 'digest'],
  directory: ['directory'],
  inline: [],
}

/** The changed settings. Throws `Refused` if the change of a source fits none or several, or for many entries. */
export function patchSpec(
  spec: StackSpec,
  {
    source,
    sources,
    setValues = {},
    setSecrets = {},
    setLabels = {},
    addIgnore = [],
    unset = [],
    ...rest
  }: StackSpecPatch,
): StackSpec {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  const reset = given.filter(([, value]) => value === null).map(([key]) => key)
  const kept = Object.entries({ ...spec, ...Object.fromEntries(given) }).filter(([key]) => !reset.includes(key))
  const changed = { ...stackDefaults, ...Object.fromEntries(kept) } as StackSpec
  const listed = sources ?? spec.sources
  const patched = {
    ...changed,
    labels: patchLabels(changed.labels, setLabels),
    ignore: withIgnored(changed, addIgnore),
    sources: source === undefined ? listed : patchSource(spec.name, listed, source),
  }
  return patchInputs(patched, { setValues, setSecrets, unset })
}

function withIgnored({ name, ignore }: StackSpec, added: StackSpec['ignore']): StackSpec['ignore'] {
  const isNew = (field: StackSpec['ignore'][number]): boolean =>
    !ignore.some(({ family, path }) => family === field.family && path === field.path)
  const all = [...ignore, ...added.filter(isNew)]
  if (all.length > mostIgnored)
    throw new Refused('usage', `${name} would ignore ${all.length} fields; at most ${mostIgnored} are allowed.`, {
      code: 'stacks/too-many-ignored',
      hint: `Replace the list "ignore" with a file: gitmoor stack set ${name} -f FILE`,
    })
  return all
}

interface SinglePatch {
  readonly setValues: NonNullable<StackSpec['values']>
  readonly setSecrets: NonNullable<StackSpec['secrets']>
  readonly unset: readonly string[]
}

function patchInputs(
  { values: oldValues = {}, secrets: oldSecrets = {}, ...spec }: StackSpec,
  { setValues, setSecrets, unset }: SinglePatch,
): StackSpec {
  const missing = unset.find((key) => !Object.hasOwn(oldValues, key) && !Object.hasOwn(oldSecrets, key))
  if (missing !== undefined)
    throw new Refused('usage', `${spec.name} has no value or secret ${quoted(missing)}.`, {
      code: 'stacks/input-unknown',
      hint: `List them: gitmoor stack get ${spec.name} -o yaml`,
    })
  const values = patchEntries(oldValues, setValues, unset)
  const secrets = patchEntries(oldSecrets, setSecrets, unset)
  refuseTooMany(spec.name, 'values', values, mostValues)
  refuseTooMany(spec.name, 'secrets', secrets, mostSecrets)
  return { ...spec, ...(isEmpty(values) ? {} : { values }), ...(isEmpty(secrets) ? {} : { secrets }) }
}

function patchEntries<Value>(
  before: Readonly<Record<string, Value>>,
  set: Readonly<Record<string, Value>>,
  unset: readonly string[],
): Readonly<Record<string, Value>> {
  return { ...Object.fromEntries(Object.entries(before).filter(([key]) => !unset.includes(key))), ...set }
}

function isEmpty(map: object): boolean {
  return Object.keys(map).length === 0
}

function refuseTooMany(stack: string, what: string, map: object, most: number): void {
  const count = Object.keys(map).length
  if (count > most)
    throw new Refused('usage', `${stack} would have ${count} ${what}; at most ${most} are allowed.`, {
      code: 'stacks/too-many-inputs',
      hint: 'Remove some with --unset KEY.',
    })
}

/**
 * True if a run carries out the change: the settings differ in what decides a sync, or in the schedule, whose times
 * count from then on.
 */
export function startsRun(before: StackSpec, after: StackSpec): boolean {
  const times = ({ schedule, timeZone }: StackSpec): object =>
    schedule === stackDefaults.schedule ? {} : { schedule, timeZone }
  const deciding = (spec: StackSpec): string => jsonDigest({ ...decidingSettings(spec), ...times(spec) })
  return deciding(before) !== deciding(after)
}

function patchLabels(labels: StackSpec['labels'], change: LabelChange): StackSpec['labels'] {
  const entries = Object.entries({ ...labels, ...change }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  if (entries.length > mostLabels)
    throw new Refused('usage', `A stack has at most ${mostLabels} labels, not ${entries.length}.`, {
      code: 'stacks/too-many-labels',
      hint: 'Remove one in the same command: --label KEY-',
    })
  return Object.fromEntries(entries)
}

function patchSource(
  name: string,
  sources: readonly SourceSpec[],
  { kind, ...fields }: SourcePatch,
): readonly SourceSpec[] {
  const changed = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const matching = sources.filter(
    (one) =>
      (kind ?? one.kind) === one.kind && Object.keys(changed).every((field) => sourceFields[one.kind].includes(field)),
  )
  if (matching.length === 1) return sources.map((one) => (one === matching[0] ? { ...one, ...changed } : one))
  const words = [...(kind === undefined ? [] : [`kind ${kind}`]), ...Object.keys(changed)].join(' and ')
  throw new Refused(
    'usage',
    `${name} has ${matching.length === 0 ? 'no source' : `${matching.length} sources`} with ${words}.`,
    {
      code: 'stacks/which-source',
      hint:
        `Give the whole list: gitmoor stack get ${name} -o yaml > ${name}.yaml, change it, ` +
        `then gitmoor stack set ${name} -f ${name}.yaml`,
    },
  )
}

/**
 * Checks families in `ignore` and `protect`, which only the platform knows; nothing, if only its connections know them.
 * Errors: `Refused` usage, with all unknown families.
 */
export function checkSettings({ ignore, protect, target }: StackSpec, targets: Targets): void {
  const { kinds } = targets.known(target)
  if (kinds.length === 0) return
  const families = [...new Set(kinds.map(({ family }) => family))]
  const named = [
    ...ignore.map(({ family }, at) => ({ field: `ignore[${at}].family`, family })),
    ...protect.map((pattern, at) => ({ field: `protect[${at}]`, family: pattern.slice(0, pattern.indexOf('/')) })),
  ]
  const unknown = named.filter(({ family }) => !families.includes(family))
  if (unknown.length === 0) return
  const problems = unknown.map(({ field, family }) => unknownFamily(field, family, families))
  const all = unknown.map(({ field, family }) => `${quoted(family)} ("${field}")`).join(', ')
  throw new Refused('usage', problems.length === 1 ? problems[0]!.message : `Unknown families: ${all}.`, {
    code: 'stacks/family-unknown',
    hint: `The families of the target ${target} are: ${families.join(', ')}.`,
    problems,
  })
}

function unknownFamily(field: string, family: string, families: readonly string[]): Problem {
  const message = withSuggestion(`"${field}" names the unknown family ${quoted(family)}.`, family, families)
  return { severity: 'error', code: 'stacks/family-unknown', message, field }
}

/**
 * What is stored for changed settings. If a run carries them out, or drift is now corrected or reported, it is unknown
 * until the next run or drift check whether the target is as they declare. A failure to correct drift was of the former
 * setting.
 */
export function settingsChange(
  { spec: before, failure }: Pick<Stack, 'spec' | 'failure'>,
  spec: StackSpec,
): StackChange {
  const otherDrift = before.drift !== spec.drift
  const isUnchecked = startsRun(before, spec) || (otherDrift && spec.drift !== 'ignore')
  return {
    spec,
    ...(isUnchecked ? { checkedAt: null } : {}),
    ...(otherDrift && failure?.code === 'agent/fighting' ? { failure: null, retries: 0, retryAt: null } : {}),
  }
}
