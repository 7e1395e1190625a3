import { asText } from '../kinds/scalar.js'
import { hasMoreValues, isObject, type JsonObject } from '../model/json.js'
import type { Finding } from '../model/problem.js'
import type { PackageEntry } from './parsed-cache.js'

type FindingAt = Finding & { readonly pointer: string }

/** Why an entry of a file cannot be a document; undefined: it can. `most`: values of a document. */
export function entryProblem({ value, lines }: PackageEntry, index: number, most: number): FindingAt | undefined {
  const isLarge = lines === undefined ? hasMoreValues(value, most) : lines.lines.length > most
  if (isLarge) return tooLarge(index, most)
  return isObject(value) ? missing(value, index) : notAMap(index)
}

function missing(body: JsonObject, index: number): FindingAt | undefined {
  if (asText(body['kind'])) return undefined
  return {
    pointer: '/kind',
    code: 'package/no-kind',
    message: `${counted(index)} has no kind.`,
    hint: 'Write one, such as `kind: Bucket`.',
  }
}

/** Messages count documents from 1; `root[i]` counts from 0. */
function counted(index: number): string {
  return `Document ${index + 1}`
}

function notAMap(index: number): FindingAt {
  return {
    pointer: '/kind',
    code: 'package/not-a-map',
    message: `${counted(index)} is not a map with apiVersion, kind, metadata and spec.`,
  }
}

function tooLarge(index: number, most: number): FindingAt {
  const message = `${counted(index)} holds more than ${most} values.`
  return { pointer: '', code: 'package/too-large', message, hint: 'Split it into several documents.' }
}
