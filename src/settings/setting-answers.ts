// The settings of a stack as answers of the API show them.
import { z } from 'zod'
import { formOf, type SettingForms } from './setting-forms.js'
import { settingEntries, specKey, type SettingName, type stackSettings } from './stack-settings.js'

type Settings = typeof stackSettings

type FormAnswer<Form> = Form extends keyof SettingForms
  ? SettingForms[Form]['answer']
  : Form extends readonly (infer Choice extends string)[]
    ? z.ZodEnum<{ [Word in Choice]: Word }>
    : z.ZodNever

type IsAlwaysThere = { readonly default: unknown } | { readonly required: true }

type Answer<Name extends SettingName> = Settings[Name] extends IsAlwaysThere
  ? FormAnswer<Settings[Name]['form']>
  : z.ZodOptional<FormAnswer<Settings[Name]['form']>>

type SpecKey<Name extends SettingName> = Settings[Name]['form'] extends 'interval' ? `${Name}Ms` : Name

/** A shape: the schema of each setting, by its key in `StackSpec`. */
export const settingAnswers = Object.fromEntries(
  settingEntries.map(([name, setting]) => {
    const { answer } = formOf(setting)
    const isAlwaysThere = setting.default !== undefined || setting.required === true
    return [specKey(name), (isAlwaysThere ? answer : answer.optional()).describe(setting.help)]
  }),
) as unknown as { [Name in SettingName as SpecKey<Name>]: Answer<Name> }
