import type { FieldChange } from '../../model/change.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { StackSpec } from '../../model/stack.js'
import { fieldChanges, sameJson } from '../../plan/diff.js'
import { toStackDocument } from '../../settings/stack-document.js'
import { stackSettings, type SettingName } from '../../settings/stack-settings.js'

/** Their entries are compared one by one. Other settings are compared whole. */
const forms: readonly string[] = ['labels', 'sources', 'values', 'secrets']

/** The changed settings as documents write them. Without `old` a setting was absent, without `new` it is absent now. */
export function settingChanges(before: StackSpec, after: StackSpec): readonly FieldChange[] {
  const old = toStackDocument(before) as unknown as JsonObject
  const now = toStackDocument(after) as unknown as JsonObject
  return (Object.keys(stackSettings) as SettingName[]).flatMap((name) => changesOf(name, old[name], now[name]))
}

function changesOf(name: SettingName, old: Json | undefined, now: Json | undefined): readonly FieldChange[] {
  if (!forms.includes(stackSettings[name].form as string))
    return sameJson(old, now) ? [] : [{ path: name, ...given('old', old), ...given('new', now) }]
  const [left, right] = [{ [name]: old ?? {} }, { [name]: now ?? {} }]
  const changed = fieldChanges(left, right)
  const paths = new Set(changed.map(({ path }) => path))
  // fieldChanges leaves out the keys that only the old value has.
  const removed = fieldChanges(right, left).filter((one) => one.old === undefined && !paths.has(one.path))
  return [...changed, ...removed.map(({ path, new: gone }) => ({ path, ...given('old', gone) }))]
}

function given<Key extends string>(key: Key, value: Json | undefined): { readonly [Name in Key]?: Json } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [Name in Key]?: Json }
}
