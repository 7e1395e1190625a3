import { quoted } from '../../../lib/text/printable.js'
import { isKnownKind } from '../known-kinds.js'
import type { Fields } from '../fields/fields.js'

/** A label of a resource: the label's metaName, and its position in `spec.associations`. */
export interface Association {
  readonly label: string
  readonly position: number
}

/** The part of a spec that every kind with labels has. */
export interface Labelled {
  readonly associations: readonly Association[]
}

/** `spec.associations` without invalid and duplicate entries. Entries of a kind other than Label are ignored. */
export function readAssociations(spec: Fields): Labelled {
  const associations: Association[] = []
  const firsts = new Map<string, Fields>()
  for (const entry of spec.each('associations')) {
    const label = readLabel(entry)
    if (label === undefined) continue
    const first = firsts.get(label)
    if (first === undefined) {
      associations.push({ label, position: entry.position })
      firsts.set(label, entry)
      continue
    }
    const twice = `the label ${quoted(label)} is associated twice, first at ${first.entryPlace}`
    entry.errorHere('duplicate-association', twice, 'Remove one of the two.')
  }
  return { associations }
}

function readLabel(entry: Fields): string | undefined {
  const kind = entry.text('kind')
  const name = entry.name('name')
  entry.warnUnknown()
  if (kind === undefined || !isKnownKind(kind)) {
    const what = kind === undefined ? 'the association has no kind' : `there is no kind ${quoted(kind)}`
    entry.error('kind', 'association-kind', what, 'Write `kind: Label`.')
    return undefined
  }
  if (kind !== 'Label') return undefined
  if (name) return name
  entry.errorHere('association-name', 'the association names no label', 'Write the metadata.name of a label.')
  return undefined
}
