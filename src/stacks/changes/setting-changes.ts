import { withoutUndefined } from '../../lib/without-undefined.js'
import type { FieldChange } from '../../model/resources/change.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { StackSpec } from '../../model/stacks/stack.js'
import { fieldChanges, sameJson } from '../../plan/diff.js'
import { toStackDocument } from '../../settings/documents/stack-document.js'
import { stackSettings, type SettingName } from '../../settings/stack-settings.js'

/** Their entries are compared one by one. Other settings are compared whole. */
const forms: readonly string[] = ['labels', 'sources', 'values', 'secrets']

/** The changed settings as documents write them. Without `old` a setting was absent, without `new` it is absent now. */
export function settingChanges(before: StackSpec, after: StackSpec): readonly FieldChange[] {
  const old = toStackDocument(before) as unknown as JsonObject
  const now = toStackDocument(after) as unknown as JsonObject
  return (Object.keys(stackSettings) as SettingName[]).flatMap((name) =>
    forms.includes(stackSettings[name].form as string)
      ? fieldChanges({ [name]: old[name] ?? {} }, { [name]: now[name] ?? {} }, { withRemoved: true })
      : wholeChange(name, old[name], now[name]),
  )
}

const mostNamed = 5
const longestValue = 40

/** Of the run that a change of settings causes: `settings changed: drift correct → report, labels.team`. */
export function settingsNote(changes: readonly FieldChange[]): string {
  if (changes.length === 0) return 'settings changed'
  const named = changes.slice(0, mostNamed).map(({ path, old, new: now }) => {
    const [before, after] = [shortValue(old), shortValue(now)]
    return before === undefined || after === undefined ? path : `${path} ${before} → ${after}`
  })
  const others = changes.length > mostNamed ? `, and ${changes.length - mostNamed} more` : ''
  return `settings changed: ${named.join(', ')}${others}`
}

/** undefined: it is absent, too long for a line, or a list. */
function shortValue(value: Json | undefined): string | undefined {
  if (value === undefined || typeof value === 'object') return undefined
  const text = String(value)
  return text === '' || text.length > longestValue ? undefined : text
}

function wholeChange(path: SettingName, old: Json | undefined, now: Json | undefined): readonly FieldChange[] {
  return sameJson(old, now) ? [] : [{ path, ...withoutUndefined({ old, new: now }) }]
}
