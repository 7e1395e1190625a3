// What all kinds of InfluxDB have in common: apiVersion, kind, metadata.name, spec.
import type { Document, EnvReference, EnvValues } from '../../model/resources/document.js'
import { isObject, type JsonObject } from '../../model/json.js'
import { quoted } from '../../lib/text/printable.js'
import type { Checked, Problem } from '../../model/problem.js'
import { withinStep } from '../../lib/async/pending.js'
import { countCharacters } from '../../model/scalar.js'
import { Fields } from './fields/fields.js'
import { DocumentReport } from './fields/document-report.js'

export const apiVersions: readonly string[] = ['influxdata.com/v2alpha1', 'influxdata.com/v2alpha2']

/** The part of every spec that lists references to values: `metadata` and `spec.name` first. */
export interface Referring {
  readonly envReferences: readonly EnvReference[]
}

/**
 * Reads a document with its kind's `read`. An invalid name stops the reading and is the only problem. After other
 * errors the value is what could be read, so its references are still checked. `late` reads what is reported last:
 * the associations.
 */
export function decodeDocument<Early extends object, Late extends object>(
  document: Document,
  read: (spec: Fields) => Early,
  late: (spec: Fields) => Late,
): Checked<(Early & Late & Referring) | undefined> {
  return withinStep(decodeDocumentSteps(document, readAtOnce(read), late))
}

/** Any reading as one step. */
function readAtOnce<T, Value>(read: (from: T) => Value): (from: T) => Generator<void, Value, void> {
  // oxlint-disable-next-line require-yield -- one step
  return function* (from) {
    return read(from)
  }
}

/** The same with a `read` in steps. */
export function* decodeDocumentSteps<Early extends object, Late extends object>(
  document: Document,
  read: (spec: Fields) => Generator<void, Early, void>,
  late: (spec: Fields) => Late,
): Generator<void, Checked<(Early & Late & Referring) | undefined>, void> {
  const findings = new DocumentReport(document)
  if (!isDnsLabel(document.name)) {
    findings.error('/metadata/name', nameProblem(document.name))
    return { value: undefined, problems: findings.problems }
  }
  readEnvelope(document, findings)
  const spec = new Fields(readSpec(document, findings), '/spec', findings, document.values)
  const early = yield* read(spec)
  spec.raw('associations')
  spec.warnUnknown()
  const value = { ...early, ...late(spec), envReferences: inSummaryOrder(findings.envReferences) }
  return { value, problems: findings.problems }
}

/**
 * Caches specs without problems by the document's body and the given values. Unchanged files share their bodies
 * (`ParsedCache`), so a large package is decoded once.
 */
export function cachedDecode<Spec>(
  decode: (document: Document) => Checked<Spec | undefined>,
): (document: Document) => Checked<Spec | undefined> {
  const steps = cachedDecodeSteps(readAtOnce(decode))
  return (document) => withinStep(steps(document))
}

/** The same for reading in steps. */
export function cachedDecodeSteps<Spec>(
  decode: (document: Document) => Generator<void, Checked<Spec | undefined>, void>,
): (document: Document) => Generator<void, Checked<Spec | undefined>, void> {
  const cleanSpecs = new WeakMap<EnvValues, WeakMap<JsonObject, Spec>>()
  const none: readonly Problem[] = []
  return function* (document) {
    let clean = cleanSpecs.get(document.values)
    if (clean === undefined) cleanSpecs.set(document.values, (clean = new WeakMap()))
    const known = clean.get(document.body)
    if (known !== undefined) return { value: known, problems: none }
    const decoded = yield* decode(document)
    if (decoded.value !== undefined && decoded.problems.length === 0) clean.set(document.body, decoded.value)
    return decoded
  }
}

/** A DNS-1123 label: lower-case letters, digits and inner hyphens, 1 to 63 characters. */
function isDnsLabel(name: string): boolean {
  return /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name)
}

/** `spec.name`, or the metaName if it is absent or empty; an error if it is shorter than `least` characters. */
export function readDisplayName(spec: Fields, document: Document, least: number): string {
  const given = spec.name('name')
  const name = given || document.name
  if (countCharacters(name) < least) {
    spec.error(
      'name',
      'too-short',
      `the name ${quoted(name)} has fewer than ${least} characters`,
      given ? 'Write a longer spec.name.' : 'Write a longer metadata.name, or add a spec.name.',
    )
  }
  return name
}

/** `metadata`, `spec.name` and associations, then the rest: the order in which summaries list them. */
function inSummaryOrder(references: readonly EnvReference[]): readonly EnvReference[] {
  const rank = ({ field }: EnvReference): number => (/^spec\.(?!name$|associations\b)/.test(field) ? 1 : 0)
  return references.toSorted((a, b) => rank(a) - rank(b))
}

function readEnvelope(document: Document, findings: DocumentReport): void {
  const envelope = new Fields(document.body, '', findings, document.values)
  for (const key of ['apiVersion', 'kind', 'spec']) envelope.raw(key)
  const metadata = envelope.map('metadata')
  metadata?.name('name')
  metadata?.warnUnknown()
  envelope.warnUnknown()
}

function readSpec(document: Document, findings: DocumentReport): JsonObject {
  const spec = document.body['spec'] ?? {}
  if (isObject(spec)) return spec
  findings.error('/spec', { code: 'kinds/wrong-type', message: 'spec is not a map' })
  return {}
}

function nameProblem(name: string): { code: string; message: string; hint: string } {
  const better = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '')
  return {
    code: 'kinds/name-form',
    message:
      name === ''
        ? 'metadata.name is absent, or neither a text nor an envRef'
        : `metadata.name ${quoted(name)} is not a DNS label`,
    hint: `Use lower-case letters, digits and hyphens inside, at most 63${better === '' ? '' : `: ${better}`}.`,
  }
}
