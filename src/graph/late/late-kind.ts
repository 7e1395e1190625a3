// Late values: a kind whose fields wait for values of other resources, written as references in texts of `spec`.
// The kind itself knows nothing of it: it decodes the document with values, or with samples while they are not known.
import { withinStep } from '../../lib/async/pending.js'
import { printable } from '../../lib/text/printable.js'
import type { Document } from '../../model/resources/document.js'
import { InvalidPackage } from '../../model/errors.js'
import { childOf, leavesOf, replaceAt, type JsonKeys } from '../../model/json-places.js'
import { Unknown, type Json, type JsonObject } from '../../model/json.js'
import type { Kind, Reference, Resolve } from '../../model/resources/kind.js'
import { errorsOf, type Checked, type Finding, type Problem } from '../../model/problem.js'
import {
  fieldValue,
  findLateFields,
  hasTooManyReferences,
  lateProblem,
  referencesIn,
  type LateField,
} from './late-fields.js'
import { parseLateText, type LateReference } from './late-text.js'
import { ifKnown, mapSampled, sampledLeaves, sampledState } from './sampled-state.js'

/** The document, and its spec with samples. */
interface LateSpec {
  readonly document: Document
  readonly fields: readonly LateField[]
  readonly samples: Samples
  readonly sample: unknown
}

/** By field: the pair of values that the kind accepts there. */
type Samples = ReadonlyMap<LateField, readonly [Json, Json]>

type Decoding = Generator<void, Checked<LateSpec | undefined>, void>

/** What a field may be: a text, a whole number, a duration, an address, a switch. */
const samplePairs: readonly (readonly [Json, Json])[] = [
  ['sample-a', 'sample-b'],
  [86_400, 172_800],
  ['24h', '48h'],
  ['http://a.example', 'http://b.example'],
  [true, false],
]

/** True if texts of `spec` have references, and the kind or the document takes them. */
export function hasReferences({ documents }: Kind, { body, takesReferences }: Document): boolean {
  if (documents?.takesMeta !== true && takesReferences !== true) return false
  for (const { value } of leavesOf(body['spec'] ?? null))
    if (typeof value === 'string' && parseLateText(value) !== 'plain') return true
  return false
}

/** The kind, for documents with references. */
export function lateKind(kind: Kind): Kind<LateSpec> {
  const { matching, parts, inputs, secrets, removal, ...core } = kind
  return {
    ...core,
    ...(removal && { removal: { ...removal, ...lateLosses(removal) } }),
    decode: (document) => withinStep(decodeLate(kind, document)),
    documents: { ...kind.documents, decodeSteps: (document) => decodeLate(kind, document) },
    references: (spec) => [...kind.references(spec.sample), ...lateReferences(spec.fields)],
    encode: (spec, resolve) => encodeLate(kind, spec, resolve),
    normalise: (state) => mapSampled(state, (known) => kind.normalise(known)),
    ...(kind.displayName !== undefined && {
      displayName: (state) => ifKnown(state, (known) => kind.displayName!(known)),
    }),
    ...(matching && { matching: { ...matching, key: (state) => ifKnown(state, (known) => matching.key(known)) } }),
    ...(parts && { parts: { documents: ({ sample }, document) => parts.documents(sample, document) } }),
    ...(inputs && {
      inputs: {
        envReferences: ({ sample }) => inputs.envReferences(sample),
        ...(inputs.secretReferences && { secretReferences: ({ sample }) => inputs.secretReferences!(sample) }),
      },
    }),
    ...(secrets && {
      secrets: {
        ...secrets,
        recognise: (desired, ...there) => mapSampled(desired, (known) => secrets.recognise(known, ...there)),
      },
    }),
  }
}

/** A value that is not known yet counts as unchanged here; the step that writes it asks again. */
function lateLosses(removal: NonNullable<Kind['removal']>): Partial<NonNullable<Kind['removal']>> {
  if (removal.losses === undefined) return {}
  return {
    losses: (actual, desired) => {
      const kept = sampledLeaves(desired).map(({ keys }) => ({ keys, value: valueAt(actual, keys) }))
      return removal.losses!(actual, replaceAt(desired, kept))
    },
  }
}

function valueAt(state: JsonObject, keys: JsonKeys): Json | undefined {
  let value: Json | undefined = state
  for (const key of keys) value = value === undefined ? undefined : childOf(value, key)
  return value
}

/** The last first: of several references to one resource, the graph keeps the last. */
function lateReferences(fields: readonly LateField[]): readonly Reference[] {
  const all = fields.flatMap(({ parts, pointer }) =>
    referencesIn(parts).map(({ to, output }) => ({ to, output, pointer })),
  )
  return all.reverse()
}

function* decodeLate(kind: Kind, document: Document): Decoding {
  const { value: fields, problems: malformed } = findLateFields(document)
  if (hasTooManyReferences(fields)) return { value: undefined, problems: malformed }
  const fieldOf = fieldFinder(fields)
  const { samples, results, refusing } = yield* findSamples(kind, document, fields)
  const [{ value: sample, problems: first }, { value: other, problems: second }] = results
  const problems = errorsOf(first).length > 0 ? first : [...first, ...errorsOf(second)]
  const naming =
    sample === undefined || other === undefined ? [] : fieldsThatName(kind, document, fields, sample, other)
  const all = [
    ...malformed,
    ...problems.filter((problem) => fieldOf(problem) === undefined),
    ...[...refusing, ...naming].map(({ pointer }) => lateProblem(document, pointer, cannotWait)),
  ]
  const isValid = sample !== undefined && errorsOf(all).length === 0
  return { value: isValid ? { document, fields, samples, sample } : undefined, problems: all }
}

interface Sampled {
  readonly samples: Samples
  /** What the kind made of the first and the second values. */
  readonly results: readonly [Checked<unknown>, Checked<unknown>]
  /** Fields where it accepts no sample. */
  readonly refusing: readonly LateField[]
}

/** The first pair of values for each field that the kind accepts there. */
function* findSamples(kind: Kind, document: Document, fields: readonly LateField[]): Generator<void, Sampled, void> {
  const tried = new Map(fields.map((field) => [field, 0]))
  const fieldOf = fieldFinder(fields)
  for (;;) {
    const samples = new Map(fields.map((field) => [field, samplePairs[tried.get(field)!]!]))
    const decodeWith = (at: 0 | 1) =>
      decoded(kind, filled(document, fields, (field) => samples.get(field)![at]).document)
    const results = [yield* decodeWith(0), yield* decodeWith(1)] as const
    const errors = errorsOf([...results[0].problems, ...results[1].problems])
    const refused = new Set(errors.map(fieldOf))
    const refusing = fields.filter((field) => refused.has(field))
    const next = refusing.filter((field) => tried.get(field)! + 1 < samplePairs.length)
    if (next.length === 0) return { samples, results, refusing }
    for (const field of next) tried.set(field, tried.get(field)! + 1)
  }
}

function* decoded(kind: Kind, document: Document): Generator<void, Checked<unknown>, void> {
  if (kind.documents?.decodeSteps !== undefined) return yield* kind.documents.decodeSteps(document)
  yield
  return kind.decode(document)
}

/** Fields that decide which resources the document names or declares. Their order would not be known. */
function fieldsThatName(
  kind: Kind,
  document: Document,
  fields: readonly LateField[],
  a: unknown,
  b: unknown,
): readonly LateField[] {
  const named = (spec: unknown): readonly string[] => [
    ...kind.references(spec).map(({ to, output, optional }) => JSON.stringify([to, output, optional])),
    ...(kind.parts?.documents(spec, document) ?? []).map(
      ({ kind: part, name, body }) => `${part}/${name} ${JSON.stringify(body)}`,
    ),
  ]
  const [before, after] = [named(a), named(b)]
  const changed = before.flatMap((one, at) => (one === after[at] ? [] : [at]))
  if (changed.length === 0 && before.length === after.length) return []
  const pointers = new Set(changed.map((at) => kind.references(a)[at]?.pointer))
  const found = fields.filter(({ pointer }) => pointers.has(pointer))
  return found.length > 0 ? found : fields.slice(0, 1)
}

function encodeLate(kind: Kind, { document, fields, samples }: LateSpec, resolve: Resolve): JsonObject {
  const values = new Map<LateReference, Json>()
  for (const { parts, pointer } of fields)
    for (const reference of referencesIn(parts)) values.set(reference, resolve({ ...reference, pointer }))
  const fieldOf = fieldFinder(fields)
  const unknowns = [...values.values()].filter((value) => value instanceof Unknown)
  return sampledState(unknowns, (sampleOf) => {
    const { document: whole, problems } = filled(document, fields, (field, reference) => {
      const value = values.get(reference)!
      return value instanceof Unknown ? samples.get(field)![sampleOf(value)] : value
    })
    const { value: spec, problems: refused } = kind.decode(whole)
    const errors = [...problems, ...errorsOf(refused).map((problem) => atField(problem, document, fieldOf(problem)))]
    if (errors.length > 0) throw new InvalidPackage(errors, 'graph/late-value')
    return kind.encode(spec, resolve)
  })
}

/** The document with values in place of its references. Problems: values that do not fit into a text. */
function filled(
  document: Document,
  fields: readonly LateField[],
  valueOf: (field: LateField, reference: LateReference) => Json,
): { readonly document: Document; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const places = fields.flatMap((field) => {
    const made = fieldValue(field, (reference) => valueOf(field, reference))
    if ('unfit' in made) problems.push(lateProblem(document, field.pointer, made.unfit))
    return 'unfit' in made ? [] : [{ keys: field.keys, value: made.value }]
  })
  return { document: { ...document, body: replaceAt(document.body, places) }, problems }
}

/** Finds the field of a problem at its place or inside it. */
function fieldFinder(fields: readonly LateField[]): (problem: Problem) => LateField | undefined {
  const byPointer = new Map(fields.map((field) => [field.pointer, field]))
  return ({ place }) => {
    let pointer = place?.pointer ?? ''
    while (pointer !== '' && !byPointer.has(pointer)) pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    return byPointer.get(pointer)
  }
}

/** An error of a field with values of other resources names the references. */
function atField(problem: Problem, document: Document, field: LateField | undefined): Problem {
  if (field === undefined) return problem
  const references = referencesIn(field.parts).map(({ text }) => printable(text))
  const message = `does not fit with the value of ${references.join(', ')}: ${problem.message.replace(/\.$/, '')}`
  const { hint } = problem
  return lateProblem(document, field.pointer, { code: 'graph/late-value', message, ...(hint && { hint }) })
}

const cannotWait: Finding = {
  code: 'graph/late-field',
  message: 'cannot wait for the value of another resource',
  hint: 'Write the value itself.',
}
