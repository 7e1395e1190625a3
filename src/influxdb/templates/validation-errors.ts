// Problems in the notation of the InfluxDB API.
import type { Document } from '../../model/resources/document.js'
import type { Problem } from '../../model/problem.js'
import type { ValidationError } from './template-answer.js'

/** The documents, and the origin of each file: they give a problem its place. */
export interface Origins {
  readonly documents: readonly Document[]
  readonly sourceOf: (file: string) => string | undefined
}

/** Without duplicates, sorted by object. Problems without a field are left out: they are not field errors. */
export function validationErrors(problems: readonly Problem[], origins: Origins): readonly ValidationError[] {
  const kinds = new Map(origins.documents.map(({ kind, place }) => [place.index, kind]))
  const found = new Map<string, ValidationError>()
  for (const problem of problems) {
    if (problem.field === undefined) continue
    const error = validationError(problem, problem.field, kinds, origins)
    const key = JSON.stringify([error.kind, error.fields, error.idxs, error.reason])
    if (!found.has(key)) found.set(key, error)
  }
  return [...found.values()].sort((a, b) => objectIndex(a) - objectIndex(b))
}

function validationError(
  { message, hint, place, kind }: Problem,
  field: string,
  kinds: ReadonlyMap<number, string>,
  { sourceOf }: Origins,
): ValidationError {
  const { fields, idxs } = fieldSteps(field)
  const ofPackage = fields[0] !== 'root'
  const source = place && sourceOf(place.file)
  return {
    kind: ofPackage ? 'Package' : (kind ?? (place && kinds.get(place.index)) ?? 'unknown'),
    fields,
    idxs,
    indexes: idxs,
    reason: hint === undefined ? message : `${message} ${hint}`,
    ...(source === undefined ? {} : { source }),
    ...(place === undefined ? {} : { line: place.line }),
  }
}

/** `root[0].spec.name` as the fields `root`, `spec`, `name` and the indexes 0, null, null. */
function fieldSteps(field: string): { readonly fields: readonly string[]; readonly idxs: readonly (number | null)[] } {
  const steps = [...field.matchAll(/([^.[\]]+)(?:\[(\d+)\])?/g)]
  const idxs = steps.map(([, , index]) => (index === undefined ? null : Number(index)))
  return { fields: steps.map(([, name = '']) => name), idxs }
}

function objectIndex({ idxs }: ValidationError): number {
  return idxs[0] ?? -1
}
