// Checks the desired state of a requested resource by its kind, as in a package, before anything is written. Pure.
import type { Identity } from '../../model/address.js'
import { noValues, type Document } from '../../model/resources/document.js'
import { InvalidPackage } from '../../model/errors.js'
import { keyPath } from '../../lib/text/field-path.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Kind, NameOf, Reference } from '../../model/resources/kind.js'
import { printable, quoted } from '../../lib/text/printable.js'
import { fieldBelow, type Problem } from '../../model/problem.js'
import { inActualOrder } from '../../plan/any-order.js'
import { fieldChanges } from '../../plan/diff.js'
import { didYouMean } from '../../settings/did-you-mean.js'
import { isPart } from '../ownership/declaring-kind.js'

/** The desired state of a resource. `before`: its actual state; undefined: it is new. */
export interface ResourceToCheck {
  /** Its name in the request. */
  readonly name: string
  /** All kinds of its family. */
  readonly kinds: readonly Kind[]
  readonly desired: JsonObject
  readonly before?: JsonObject
  readonly identity: Identity
}

/** Codes of warnings about fields that the target would not store. */
const notStored: ReadonlySet<string> = new Set(['kinds/wrong-type', 'kinds/no-effect', 'kinds/unknown-field'])

/** Throws `InvalidPackage` with all problems that the resource does not already have. */
export function refuseUnfit({ name, kinds, desired, before, identity }: ResourceToCheck): void {
  const known = new Set(before === undefined ? [] : resourceProblems(kinds, before, identity).map(problemKey))
  const problems = resourceProblems(kinds, desired, identity)
    .filter((problem) => !known.has(problemKey(problem)))
    .map((problem) => ({ ...problem, message: `${printable(name)}: ${problem.message}` }))
  if (problems.length > 0) throw new InvalidPackage(problems, 'stacks/invalid-resource', 'The resource')
}

function problemKey({ field, message }: Problem): string {
  return `${field} ${message}`
}

function resourceProblems(kinds: readonly Kind[], given: JsonObject, identity: Identity): readonly Problem[] {
  const live = kinds.find(({ secrets }) => secrets !== undefined)?.secrets?.conceal(given) ?? given
  if (kinds.every(isPart)) return kinds.flatMap((kind) => kind.asPart?.invalidFields(live) ?? []).map(invalidPartField)
  const names = new Names()
  for (const kind of kinds) {
    const spec = kind.authored?.declare(live, names.nameOf, identity)
    if (spec !== undefined) return problemsAsSpec({ kind, live, identity, spec, names })
  }
  const type = typeof live['type'] === 'string' ? ` of type ${quoted(live['type'])}` : ' without a type'
  return [problem('type', 'kinds/not-allowed', `there is no ${kinds[0]!.family}${type}`)]
}

interface DeclaredForm {
  readonly kind: Kind
  readonly live: JsonObject
  readonly identity: Identity
  readonly spec: JsonObject
  readonly names: Names
}

/** The problems of the state as a document; without problems, the fields that the kind would change. */
function problemsAsSpec({ kind, live, identity, spec, names }: DeclaredForm): readonly Problem[] {
  const { value, problems } = kind.decode(standInDocument(kind, spec))
  const found = problems.filter(({ severity, code }) => severity === 'error' || notStored.has(code)).map(withField)
  if (kind.displayName !== undefined && !kind.displayName(live))
    found.unshift(problem('name', 'kinds/required', 'there is no name'))
  if (found.length > 0 || value === undefined) return found
  const stored = kind.normalise(kind.encode(value, names.resolve))
  const given = kind.normalise(live)
  const recognised = kind.secrets?.recognise(stored, { identity, actual: given }, []) ?? stored
  const order = inActualOrder(recognised, given, kind.comparison?.anyOrder)
  return fieldChanges(recognised, order).map(({ path, old }) =>
    old === undefined ? unknownField(path, Object.keys(stored)) : storedDifferently(path, old),
  )
}

/** The name of the document that would declare it. Messages begin with it. */
const standIn = 'resource'

function standInDocument({ apiVersions, kind }: Kind, spec: JsonObject): Document {
  const locate: Document['locate'] = (pointer) => ({ file: '', index: 0, pointer, line: 0 })
  const apiVersion = apiVersions[0]!
  return {
    apiVersion,
    kind,
    name: standIn,
    body: { apiVersion, kind, metadata: { name: standIn }, spec },
    values: noValues,
    place: locate(''),
    locate,
  }
}

/** In a package, the field would be ignored; here it is refused. */
function withField({ code, message, hint, place }: Problem): Problem {
  const field = fieldBelow('desired', (place?.pointer ?? '').replace(/^\/spec/, ''))
  return {
    severity: 'error',
    code,
    message: message.replace(/^\w+\/resource: /, '').replace(/(?:; it| and) is ignored(?=\.$)/, ''),
    field,
    ...(hint === undefined ? {} : { hint }),
  }
}

function problem(path: string, code: string, message: string): Problem {
  return { severity: 'error', code, message: `${message}.`, field: fieldAt(path) }
}

function invalidPartField(field: string): Problem {
  const path = keyPath('', field)
  return problem(path, 'kinds/wrong-type', `${path} is missing, unknown or of another type`)
}

function unknownField(path: string, known: readonly string[]): Problem {
  const hint = didYouMean(path, known)
  return {
    ...problem(path, 'kinds/unknown-field', `there is no field ${quoted(path)}`),
    ...(hint === undefined ? {} : { hint }),
  }
}

function storedDifferently(path: string, stored: Json): Problem {
  return problem(
    path,
    'kinds/wrong-type',
    `${path} is not a value that the target can store; it would store ${JSON.stringify(stored)}`,
  )
}

function fieldAt(path: string): string {
  return path.startsWith('[') ? `desired${path}` : `desired.${path}`
}

/** Names for identities, and back. */
class Names {
  readonly #identities: string[] = []

  readonly nameOf: NameOf = (_family, identity) => `n${this.#identities.push(identity) - 1}`

  readonly resolve = ({ to }: Reference): Json => this.#identities[Number(to.slice(to.indexOf('/') + 2))] ?? ''
}
