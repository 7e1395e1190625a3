// Every setting of a stack, declared once. Documents, changes of settings, defaults, the API's schemas and the options
// of the command line are made from this table; the type of each setting is that of `StackSpec`. Loads no zod.
import type { IgnoreRule, StackSpec, SyncWindow } from '../model/stacks/stack.js'
import type { SourceSpec } from '../model/sources/source-spec.js'

/** The forms of settings by name, with the type that each has in `StackSpec`. setting-forms.ts has their schemas. */
export interface FormValues {
  readonly dnsLabel: string
  readonly displayName: string
  readonly description: string
  readonly labels: StackSpec['labels']
  readonly schedule: string
  readonly timeZone: string
  /** Written as `30s`; the key in `StackSpec` ends in `Ms`. */
  readonly interval: number
  readonly count: number
  readonly names: readonly string[]
  readonly addresses: readonly string[]
  readonly fields: readonly IgnoreRule[]
  readonly windows: readonly SyncWindow[]
  readonly sources: readonly SourceSpec[]
  readonly values: NonNullable<StackSpec['values']>
  readonly secrets: NonNullable<StackSpec['secrets']>
}

export type FormName = keyof FormValues

/** A list of choices, or the name of a form whose values have this type. */
type FormFor<Value> =
  | ([string] extends [Value] ? never : [Value] extends [string] ? readonly Value[] : never)
  | { [Name in FormName]: [FormValues[Name], Value] extends [Value, FormValues[Name]] ? Name : never }[FormName]

interface Setting<Value> {
  readonly form: FormFor<Value>
  /** As in `StackSpec`. Absent: the setting may be absent there, too. */
  readonly default?: Value
  /** No document is complete without it. */
  readonly required?: true
  /** Its meaning, for people. */
  readonly help: string
  /** The option of `stack create` and `stack set`: `--drift <ACTION>`. Absent: only documents have it. */
  readonly option?: string
  /** It decides what a sync does: after a change of it, a refused revision is attempted again. */
  readonly decides: boolean
}

type DocumentKey<Key extends string> = Key extends `${infer Name}Ms` ? Name : Key

/** One entry for each setting: a missing, superfluous or mistyped one does not compile. */
type StackSettings = {
  readonly [Key in Exclude<keyof StackSpec, 'name'> as DocumentKey<Key>]-?: Setting<NonNullable<StackSpec[Key]>>
}

export const stackSettings = {
  displayName: {
    form: 'displayName',
    help: 'The name that people see.',
    option: '--display-name <TEXT>',
    decides: false,
  },
  description: { form: 'description', help: 'The purpose of the stack.', decides: false },
  labels: { form: 'labels', default: {}, help: 'Words that select stacks: -l team=ops.', decides: false },
  target: {
    form: 'dnsLabel',
    default: 'local',
    help: 'The target that gitmoor applies the package to.',
    option: '--target <TARGET>',
    decides: true,
  },
  sources: { form: 'sources', required: true, help: 'Where the package comes from.', decides: true },
  interval: {
    form: 'interval',
    default: 60_000,
    help: 'How often gitmoor polls the sources.',
    option: '--interval <DURATION>',
    decides: false,
  },
  driftInterval: {
    form: 'interval',
    default: 300_000,
    help: 'How often gitmoor checks the target for drift.',
    option: '--drift-interval <DURATION>',
    decides: false,
  },
  schedule: {
    form: 'schedule',
    default: 'never',
    help: 'Additional times of a sync: a cron expression of five fields, @daily and the like, or never.',
    option: '--schedule <CRON>',
    decides: false,
  },
  timeZone: {
    form: 'timeZone',
    default: 'UTC',
    help: 'The time zone of the schedule, and of windows without their own.',
    option: '--time-zone <ZONE>',
    decides: false,
  },
  windows: {
    form: 'windows',
    default: [],
    help: 'When the stack may be written automatically. None: always.',
    decides: false,
  },
  dependsOn: {
    form: 'names',
    default: [],
    help: 'Stacks that must be ready before this one is synced automatically.',
    option: '--depends-on <NAMES>',
    decides: false,
  },
  drift: {
    form: ['correct', 'report', 'ignore'],
    default: 'correct',
    help: 'What to do if somebody changed the target: correct it, report it, or do not check.',
    option: '--drift <ACTION>',
    decides: false,
  },
  apply: {
    form: ['auto', 'approval'],
    default: 'auto',
    help: 'auto: apply every plan, unless a rule requires approval; approval: wait for `gitmoor approve NAME DIGEST`.',
    option: '--apply <WHEN>',
    decides: true,
  },
  onFailure: {
    form: ['undo', 'continue'],
    help: "What to do with a partial apply. Absent: the platform's default.",
    option: '--on-failure <ACTION>',
    decides: true,
  },
  maxDeletes: {
    form: 'count',
    default: 10,
    help: 'A plan with more removals needs approval.',
    option: '--max-deletes <N>',
    decides: true,
  },
  adopt: {
    form: ['allow', 'refuse'],
    default: 'allow',
    help: 'allow: adopt existing resources without approval; refuse: a plan that adopts some needs approval.',
    option: '--adopt <POLICY>',
    decides: true,
  },
  dataLoss: {
    form: ['refuse', 'allow'],
    default: 'refuse',
    help: 'refuse: a plan that loses data needs approval; allow: lose data without approval.',
    option: '--data-loss <POLICY>',
    decides: true,
  },
  ignore: { form: 'fields', default: [], help: 'Fields that someone else manages.', decides: true },
  protect: {
    form: 'addresses',
    default: [],
    help: 'Addresses, or Family/*, whose removal needs approval.',
    decides: true,
  },
  values: {
    form: 'values',
    help: 'Values of env references and parameters, by env key.',
    decides: true,
  },
  secrets: {
    form: 'secrets',
    help: "References to secrets, by key of the target's secret store: ${env:NAME} or ${file:PATH}.",
    decides: true,
  },
} as const satisfies StackSettings

export type SettingName = keyof typeof stackSettings

/** The entries of the table, in the order of documents. */
export const settingEntries = Object.entries(stackSettings) as readonly (readonly [SettingName, AnySetting])[]

export interface AnySetting extends Omit<Setting<unknown>, 'form'> {
  readonly form: FormName | readonly string[]
}

/** The key of a setting in `StackSpec`. */
export function specKey(name: SettingName): Exclude<keyof StackSpec, 'name'> {
  return (stackSettings[name].form === 'interval' ? `${name}Ms` : name) as Exclude<keyof StackSpec, 'name'>
}

type DefaultKey = Exclude<
  keyof StackSpec,
  'name' | 'sources' | 'displayName' | 'description' | 'onFailure' | 'values' | 'secrets'
>

/** The settings that have a default, with it. */
export const stackDefaults = Object.fromEntries(
  settingEntries.flatMap(([name, setting]) =>
    setting.default === undefined ? [] : [[specKey(name), setting.default]],
  ),
) as Pick<StackSpec, DefaultKey>

/** The settings that decide, together with the revision, what a sync does. */
export function decidingSettings(spec: StackSpec): Partial<StackSpec> {
  return Object.fromEntries(
    settingEntries
      .filter(([name, { decides }]) => decides && spec[specKey(name)] !== undefined)
      .map(([name]) => [specKey(name), spec[specKey(name)]]),
  )
}
