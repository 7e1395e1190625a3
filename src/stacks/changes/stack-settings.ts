import { Refused } from '../../model/errors.js'
import { type SourceSpec, sourceLocations } from '../../model/source-spec.js'
import type { SourcePatch, StackSpec, StackSpecPatch } from '../../model/stack.js'
import type { Platform } from '../../platform/platform.js'
import type { StackChange } from '../../store/store.js'

const sourceFields: Readonly<Record<SourceSpec['kind'], readonly string[]>> = {
  git: ['url', 'ref', 'path'],
  url: ['url', 'path', 'digest'],
  directory: ['directory'],
  inline: [],
}

/** The changed settings. Throws `Refused`, if the change of a source fits none or several sources. */
export function patchSpec(spec: StackSpec, { source, sources, ...rest }: StackSpecPatch): StackSpec {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const listed = sources ?? spec.sources
  return { ...spec, ...given, sources: source === undefined ? listed : patchSource(spec.name, listed, source) }
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
      hint: `Give the whole list: gitmoor stack get ${name} -o yaml > ${name}.yaml, change it, then gitmoor stack set ${name} -f ${name}.yaml`,
    },
  )
}

/** Checks families in `ignore` and `protect`, which only the platform knows. Errors: `Refused` usage. */
export function checkSettings({ ignore, protect }: StackSpec, { kinds, name }: Pick<Platform, 'kinds' | 'name'>): void {
  const families = [...new Set(kinds.map(({ family }) => family))]
  const named = [
    ...ignore.map(({ family }) => family),
    ...protect.map((pattern) => pattern.slice(0, pattern.indexOf('/'))),
  ]
  const unknown = named.find((family) => !families.includes(family))
  if (unknown === undefined) return
  throw new Refused('usage', `The platform ${name} knows no family ${unknown}.`, {
    code: 'stacks/family-unknown',
    hint: `In \`ignore\` and \`protect\` families are: ${families.join(', ')}.`,
  })
}

/** What is stored for changed settings. With other sources, the drift is unknown until the next check. */
export function settingsChange(before: StackSpec, spec: StackSpec): StackChange {
  return { spec, ...(sourceLocations(before) === sourceLocations(spec) ? {} : { checkedAt: null }) }
}
