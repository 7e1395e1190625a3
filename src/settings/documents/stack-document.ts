// The stack document: the settings of a stack as people write them in the configuration file, with `-f` and over the
// API, and as `stack get -o yaml` prints them. Made from the table of settings (stack-settings.ts).
import { stringify } from 'yaml'
import { z } from 'zod'
import { withoutUndefined } from '../../lib/without-undefined.js'
import { errorsOf, type Checked } from '../../model/problem.js'
import type { StackSpec, StackSpecPatch } from '../../model/stacks/stack.js'
import { unsetDocument } from './inputs-document.js'
import { jsonSchema } from '../schema/json-schema.js'
import { labelChangeDocument } from '../labels.js'
import { checkYaml, readYaml } from '../schema/read-yaml.js'
import { dnsLabel, formOf, settingForms, stackName, type SettingForms } from '../setting-forms.js'
import { plainPath, sourcePatchDocument, withResolvedAddresses } from './source-document.js'
import { settingEntries, specKey, type AnySetting, type SettingName, type stackSettings } from '../stack-settings.js'
import { strictObject } from '../schema/strict-object.js'

type Settings = typeof stackSettings

/** The schema of a setting in a document, before it has a default or is optional. */
type Written<Name extends SettingName> = FormSchema<Settings[Name]['form']>

type FormSchema<Form> = Form extends keyof SettingForms
  ? SettingForms[Form]['document']
  : Form extends readonly (infer Choice extends string)[]
    ? z.ZodEnum<{ [Word in Choice]: Word }>
    : z.ZodNever

type DocumentField<Name extends SettingName> = Settings[Name] extends { readonly default: unknown }
  ? z.ZodDefault<Written<Name>>
  : Settings[Name] extends { readonly required: true }
    ? Written<Name>
    : z.ZodOptional<Written<Name>>

const shape = settingShape(documentField) as unknown as { [Name in SettingName]: DocumentField<Name> }
/** A setting of a patch. null resets it; one that is required has nothing to reset to. */
type PatchField<Name extends SettingName> = z.ZodOptional<
  Settings[Name] extends { readonly required: true } ? Written<Name> : z.ZodNullable<Written<Name>>
>

const patchShape = settingShape((setting) => {
  const { document } = formOf(setting)
  return (setting.required ? document : document.nullable()).optional()
}) as unknown as { [Name in SettingName]: PatchField<Name> }

export const stackDocument = strictObject({ name: dnsLabel.describe('The unique name of the stack.'), ...shape })

/** A new stack that takes over existing resources. */
export const importDocument = strictObject({
  ...stackDocument.shape,
  name: dnsLabel
    .optional()
    .describe('The unique name of the new stack. Default: from the name of the stack `stackID`.'),
  stackID: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('The id of a stack that the target keeps. Absent: takes over what the package declares and exists.'),
})

/** For editors. */
export function stackSchema(): object {
  return jsonSchema(stackDocument, 'Stack document of gitmoor')
}

/** New settings; absent ones stay, null resets one to its default. */
export const stackPatchDocument = strictObject({
  source: sourcePatchDocument.optional().describe('Fields of the only source that has them; others stay.'),
  ...patchShape,
  setValues: settingForms.values.document.optional().describe('New or changed values; others stay.'),
  setSecrets: settingForms.secrets.document.optional().describe('New or changed references to secrets; others stay.'),
  setLabels: labelChangeDocument.optional(),
  addIgnore: settingForms.fields.document.optional().describe('Fields to ignore, too; others stay ignored.'),
  unset: unsetDocument.optional().describe('Keys of values and secrets to remove.'),
})

/** A file with settings to change: those that it does not name stay. */
const stackChangesDocument = strictObject({ name: stackName.optional(), ...patchShape })

/** As written: fields with a default may be absent. */
export type StackDocument = z.input<typeof stackDocument>
export type StackPatchDocument = z.input<typeof stackPatchDocument>

/** The settings of a document. */
export function toStackSpec(document: z.output<typeof stackDocument>): StackSpec {
  return { name: document.name, ...readSettings(document) } as StackSpec
}

/** The settings of a new stack; its name may be absent. */
export function toImportSpec(document: z.output<typeof importDocument>): Omit<StackSpec, 'name'> & { name?: string } {
  const { name } = document
  return { ...readSettings(document), ...(name === undefined ? {} : { name }) } as Omit<StackSpec, 'name'>
}

/** The new settings of a patch. */
export function toStackPatch({
  source,
  setValues,
  setSecrets,
  setLabels,
  addIgnore,
  unset,
  ...document
}: z.output<typeof stackPatchDocument>): StackSpecPatch {
  const single = withoutUndefined({ setValues, setSecrets, setLabels, addIgnore, unset })
  const patch = { ...readSettings(document), ...single }
  if (source === undefined) return patch
  const { path } = source
  const plain = path === undefined ? source : { ...source, path: plainPath(path) }
  return { ...patch, source: withoutUndefined(plain) }
}

/** The document of settings, with all defaults. */
export function toStackDocument(spec: StackSpec): z.output<typeof stackDocument> {
  const written = settingEntries.flatMap(([name, setting]) => {
    const value = spec[specKey(name)]
    return value === undefined ? [] : [[name, print(setting, value)]]
  })
  return { name: spec.name, ...Object.fromEntries(written) } as z.output<typeof stackDocument>
}

/** YAML that `readStackDocument` reads back to the same settings. */
export function printStackDocument(spec: StackSpec): string {
  return stringify(toStackDocument(spec), { lineWidth: 0, aliasDuplicateObjects: false })
}

/**
 * Reads the file of `-f FILE`. All problems at once, each with its line. `directory`: the base of relative addresses
 * such as `./boards`; absent: they are refused. `name`: of a document without one; absent: it is required.
 */
export function readStackDocument(
  file: string,
  text: string,
  directory?: string,
  name?: string,
): Checked<StackSpec | undefined> {
  const schema = name === undefined ? stackDocument : documentNamed(name)
  const { value, problems } = readDocument(file, text, { schema, directory })
  return { value: value && toStackSpec(value), problems }
}

function documentNamed(name: string): typeof stackDocument {
  const named = strictObject({ ...stackDocument.shape, name: stackDocument.shape.name.default(name) })
  return named as unknown as typeof stackDocument
}

/** Reads the file of `stack set -f FILE`: only the settings that it names. Otherwise as `readStackDocument`. */
export function readStackChanges(
  file: string,
  text: string,
  directory: string,
): Checked<z.output<typeof stackChangesDocument> | undefined> {
  return readDocument(file, text, { schema: stackChangesDocument, directory })
}

function readDocument<Schema extends z.ZodType>(
  file: string,
  text: string,
  { schema, directory }: { readonly schema: Schema; readonly directory: string | undefined },
): Checked<z.output<Schema> | undefined> {
  const yaml = readYaml(file, text, 'stacks')
  if (yaml.value === undefined) return { value: undefined, problems: yaml.problems }
  const value = directory === undefined ? yaml.value.value : withResolvedAddresses(yaml.value.value, directory)
  const { value: document, problems: found } = checkYaml({ ...yaml.value, value }, schema, 'stacks')
  const problems = [...yaml.problems, ...found]
  return { value: errorsOf(problems).length > 0 ? undefined : document, problems }
}

function settingShape(field: (setting: AnySetting) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(settingEntries.map(([name, setting]) => [name, field(setting).describe(setting.help)]))
}

function documentField(setting: AnySetting): z.ZodType {
  const { document } = formOf(setting)
  if (setting.default !== undefined) return document.default(print(setting, setting.default))
  return setting.required ? document : document.optional()
}

/** null stays null: the patch resets that setting. */
function readSettings(document: { readonly [Name in SettingName]?: unknown }): StackSpecPatch {
  return Object.fromEntries(
    settingEntries.flatMap(([name, setting]) => {
      const written = document[name]
      if (written === undefined) return []
      const { read } = formOf(setting)
      return [[specKey(name), read === undefined || written === null ? written : read(written)]]
    }),
  )
}

function print(setting: AnySetting, value: unknown): unknown {
  const { print: printed } = formOf(setting)
  return printed === undefined ? value : printed(value)
}
