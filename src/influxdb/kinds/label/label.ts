import type { Document } from '../../../model/resources/document.js'
import type { Kind } from '../../../model/resources/kind.js'
import { apiVersions, decodeDocument, readDisplayName, cachedDecode, type Referring } from '../envelope.js'
import type { Fields } from '../fields/fields.js'
import { stateName, trimmedText, exportedFields } from '../state.js'
import type { Wire } from '../wire.js'

export interface LabelSpec extends Referring {
  readonly name: string
  /** Free text, normally `#RRGGBB`. */
  readonly color: string
  readonly description: string
}

/** State: `{name, color, description}`. The target trims names and compares them without regard to case. */
export function labelKind(): Kind<LabelSpec> {
  return {
    kind: 'Label',
    apiVersions,
    family: 'Label',
    decode: cachedDecode((document) => decodeDocument(document, (spec) => readLabel(spec, document), warnAssociations)),
    references: () => [],
    encode: ({ name, color, description }) => ({ name, color, description }),
    normalise: (state) => ({ ...state, ...trimmedText(state, 'name') }),
    matching: { key: (state) => stateName(state)?.trim().toLowerCase() },
    displayName: stateName,
    authored: { declare: ({ name, color, description }) => exportedFields({ name, color, description }) },
    inputs: { envReferences: ({ envReferences }) => envReferences },
  }
}

/** The InfluxDB API's form of a label. */
export const labelWire: Wire = {
  diff: ({ name, color, description }) => ({ name: name ?? '', color: color ?? '', description: description ?? '' }),
  summary: ({ name, color, description }, { id, orgID }) => {
    return { id, orgID, name: name ?? '', properties: { color: color ?? '', description: description ?? '' } }
  },
}

function readLabel(spec: Fields, document: Document): Omit<LabelSpec, 'envReferences'> {
  const name = readDisplayName(spec, document, 2)
  return { name, color: spec.text('color') ?? '', description: spec.text('description') ?? '' }
}

function warnAssociations(spec: Fields): object {
  if (spec.raw('associations') !== undefined)
    spec.warning('associations', 'unknown-field', 'labels cannot have labels; associations are ignored')
  return {}
}
