// Options for the settings of a stack, made from the table of settings.
import { InvalidArgumentError, Option } from 'commander'
import { printInterval } from '../../../settings/schema/interval.js'
import type { StackDocument } from '../../../settings/documents/stack-document.js'
import { settingEntries, type AnySetting } from '../../../settings/stack-settings.js'

/** Settings as options give them, in the form of documents. */
export type SettingOptions = Partial<Omit<StackDocument, 'name' | 'sources' | 'labels' | 'values' | 'secrets'>>

const optionalSettings = settingEntries.filter(([, { option }]) => option !== undefined)

/** The options of all settings that have one. Each has the name of its setting. `defaults`: their help shows them. */
export function settingOptions({ defaults }: { readonly defaults: boolean }): readonly Option[] {
  return optionalSettings.map(([, setting]) => settingOption(setting, defaults))
}

/** The settings among the options of a command. */
export function settingsAmong(options: SettingOptions): SettingOptions {
  return Object.fromEntries(
    optionalSettings
      .map(([name]) => [name, options[name as keyof SettingOptions]] as const)
      .filter(([, value]) => value !== undefined),
  )
}

function settingOption({ option = '', form, help, default: standard }: AnySetting, showsDefault: boolean): Option {
  const shown = showsDefault ? defaultText(form, standard) : ''
  const made = new Option(option, `${sentenceAsPhrase(help)}${shown === '' ? '' : ` (default: ${shown})`}`)
  if (typeof form !== 'string') return made.choices(form)
  if (form === 'count') return made.argParser(readCount)
  return form === 'names' ? made.argParser(splitNames) : made
}

function defaultText(form: AnySetting['form'], standard: unknown): string {
  if (form === 'interval') return printInterval(standard as number)
  return typeof standard === 'string' || typeof standard === 'number' ? String(standard) : ''
}

function sentenceAsPhrase(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/\.$/, '')
}

function readCount(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** '' is the empty list. */
function splitNames(text: string): string[] {
  return text === '' ? [] : text.split(',').map((name) => name.trim())
}
