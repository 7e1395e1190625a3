import { nameOf } from '../../model/address.js'
import { noValues } from '../../model/resources/document.js'
import type { Kind } from '../../model/resources/kind.js'
import { noMeta } from '../../model/resources/meta.js'
import type { Owned, Resource } from '../../model/resources/resource.js'

/** Nobody reads its document: it has no references, and what it encodes is valid. */
const place = { file: '', index: 0, pointer: '', line: 0 }

/** A resource as the last run wrote it: planned without its package, it differs only where the target does. */
export function recordedResource(owned: Owned, kind: Kind): Resource {
  const { address, applied, needs, edges, partOf } = owned
  const { secrets: _, ...rest } = kind // ownership has secrets as the target has them
  return {
    address,
    kind: {
      ...rest,
      references: () => [],
      encode: () => applied,
      normalise: (state) => (state === applied ? state : kind.normalise(state)),
    },
    document: {
      apiVersion: kind.apiVersions[0] ?? '',
      kind: owned.kind,
      name: nameOf(address),
      body: {},
      values: noValues,
      place,
      locate: () => place,
    },
    spec: undefined,
    edges: edges ?? needs.map((to) => ({ to, why: 'reference', text: '' })),
    meta: noMeta,
    ...(partOf === undefined ? {} : { partOf }),
  }
}
