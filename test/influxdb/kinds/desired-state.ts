import { influxdbKinds, wires, type WireContext } from '../../../src/influxdb/kinds/kinds.js'
import type { Identity } from '../../../src/model/address.js'
import { Unknown, type JsonObject } from '../../../src/model/json.js'
import type { Kind } from '../../../src/model/resources/kind.js'
import { buildYaml, doc } from '../read-texts.js'

export function kindNamed(name: string): Kind {
  return influxdbKinds.find(({ kind }) => kind === name)!
}

/** What the last resource of a package without errors shall be on its target. */
export function stateOf(text: string): JsonObject {
  const { value, problems } = buildYaml(text)
  const declared = value.resources.filter(({ partOf }) => partOf === undefined).at(-1)
  if (declared === undefined) throw new Error(JSON.stringify(problems))
  return declared.kind.normalise(declared.kind.encode(declared.spec, ({ to }) => new Unknown(to, 'id')))
}

export function plain(state: unknown): unknown {
  return JSON.parse(JSON.stringify(state))
}

const resource = '00000000000000aa' as Identity

/** What an export of what a document makes would declare, as plain JSON. */
export function declaredBy(kind: string, spec: object): unknown {
  return plain(kindNamed(kind).authored!.declare(stateOf(doc(kind, 'thing', spec)), () => undefined, resource))
}

export const nowhere: WireContext = { id: '', orgID: '', known: () => undefined }

/** Both sides of the wire format of what a document makes. */
export function wireOf(
  kind: string,
  state: JsonObject,
  spec: object = {},
  context = nowhere,
): { readonly diff: unknown; readonly summary: unknown } {
  const wire = wires[kind]!
  return { diff: plain(wire.diff(state, context)), summary: plain(wire.summary(state, context, spec)) }
}
