// A secret in the target's own store. Packages do not declare it: it comes from credentials and given secrets.
import type { Document } from '../../model/resources/document.js'
import { Secret } from '../../model/json.js'
import { type Kind, partApiVersion } from '../../model/resources/kind.js'
import type { Place } from '../../model/problem.js'

export interface SecretSpec {
  readonly key: string
  readonly value: Secret
}

const kind = 'Secret'

/** State: `{key, value}`. No plan removes it: others may use it. A removal by hand loses the only copy of its value. */
export function secretKind(): Kind<SecretSpec> {
  return {
    kind,
    apiVersions: [partApiVersion],
    family: kind,
    decode: ({ body }) => ({ value: body['spec'] as unknown as SecretSpec, problems: [] }),
    references: () => [],
    encode: ({ key, value }) => ({ key, value }),
    normalise: (state) => state,
    removal: { onRemove: 'untrack', losesData: true, lost: 'value' },
    asPart: {
      invalidFields: ({ key, value, ...unknown }) => [
        ...(typeof key === 'string' && key !== '' ? [] : ['key']),
        ...(typeof value === 'string' || value instanceof Secret ? [] : ['value']),
        ...Object.keys(unknown),
      ],
    },
    matching: { key: ({ key }) => (typeof key === 'string' ? key : undefined) },
    displayName: ({ key }) => (typeof key === 'string' ? key : undefined),
  }
}

/** The document of a given secret. */
export function secretDocument(key: string, value: Secret, values: Document['values']): Document {
  const place: Place = { file: '', index: 0, pointer: '', line: 0 }
  const body = { apiVersion: partApiVersion, kind, metadata: { name: key }, spec: { key, value } }
  return { apiVersion: partApiVersion, kind, name: key, body, values, place, locate: () => place }
}
