import { partApiVersion, unknownYet, type Kind } from '../model/resources/kind.js'
import { addressOf, type Address } from '../model/address.js'
import type { Document } from '../model/resources/document.js'
import { printable, quoted } from '../lib/text/printable.js'
import { problemAt, shownPlace, type Checked, type Finding, type Problem } from '../model/problem.js'
import { whenReady, whenStepsReady } from '../lib/async/pending.js'
import type { Steps } from '../lib/async/steps.js'
import { noMeta } from '../model/resources/meta.js'
import type { Declarations, Declared } from './declared.js'
import { hasReferences, lateKind } from './late/late-kind.js'
import { readMeta, readNeeds } from './read-meta.js'

/** A platform's `kind`. undefined: unknown kind; 'version': unknown apiVersion. */
export type KindLookup = (kind: string, apiVersion: string) => Kind | undefined | 'version'
/** The problem of a document without a kind. */
export type ExplainUnknownKind = (kind: string, apiVersion: string) => Finding

/** Checks each document: kind, apiVersion, form of the name, duplicate name (each of these stops), then its fields. */
export function* declareAll(
  documents: readonly Document[],
  kindOf: KindLookup,
  {
    explainUnknownKind,
    beside = [],
  }: { readonly explainUnknownKind: ExplainUnknownKind; readonly beside?: readonly Document[] },
): Steps<Declarations> {
  const declarations = new DeclarationsBuilder(kindOf, explainUnknownKind)
  for (const document of beside) declarations.addMade(document)
  for (const document of documents) {
    yield
    yield* declarations.add(document)
  }
  return declarations
}

class DeclarationsBuilder implements Declarations {
  readonly all: Declared[] = []
  readonly byAddress = new Map<Address, Declared>()
  readonly problems: Problem[] = []
  readonly #kindOf: KindLookup
  readonly #explainUnknownKind: ExplainUnknownKind
  readonly #firstOfAddress = new Map<Address, Document>()
  readonly #firstOfKey = new Map<string, Document>()

  readonly isDeclared = (address: Address): boolean => this.#firstOfAddress.has(address)

  constructor(kindOf: KindLookup, explainUnknownKind: ExplainUnknownKind) {
    this.#kindOf = kindOf
    this.#explainUnknownKind = explainUnknownKind
  }

  *add(document: Document): Steps<void> {
    const known = this.#kind(document)
    if (known === undefined) return
    const kind = hasReferences(known, document) ? lateKind(known) : known
    const { value: spec, problems } = yield* decoded(kind, document)
    if (problems.some(isNameError)) return this.#report(problems.filter(isNameError))
    const address = addressOf(kind.family, document.name)
    if (this.#isDuplicate(address, document)) return
    const { value: handling, problems: wrong } = readHandling(kind, document)
    this.#report(problems)
    this.#report(wrong)
    const hasErrors = spec === undefined || [...problems, ...wrong].some(({ severity }) => severity === 'error')
    const declared: Declared = { address, kind, document, spec, ...handling, hasErrors, edges: [] }
    this.all.push(declared)
    if (!this.#hasTakenName(declared)) this.byAddress.set(address, declared)
    if (spec !== undefined) for (const part of kind.parts?.documents(spec, document) ?? []) this.addMade(part, address)
  }

  /** Adds a document that no author wrote. Problems of parts are reported for their parent. */
  addMade(document: Document, partOf?: Address): void {
    const kind = this.#kindOf(document.kind, document.apiVersion)
    if (kind === undefined || kind === 'version') return
    const { value: spec, problems } = kind.decode(document)
    this.#report(problems)
    const address = addressOf(kind.family, document.name)
    const part = partOf === undefined ? {} : { partOf }
    const hasErrors = spec === undefined
    const declared: Declared = { address, kind, document, spec, ...part, ...noHandling, hasErrors, edges: [] }
    this.all.push(declared)
    this.byAddress.set(address, declared)
  }

  #kind(document: Document): Kind | undefined {
    const found = this.#kindOf(document.kind, document.apiVersion)
    const isPart = typeof found === 'object' && found.apiVersions.includes(partApiVersion)
    if (typeof found === 'object' && !isPart) return found
    const wrongVersion = found === 'version' && this.#kindOf(document.kind, partApiVersion) === 'version'
    this.#error(
      document,
      wrongVersion ? '/apiVersion' : '/kind',
      this.#explainUnknownKind(document.kind, document.apiVersion),
    )
    return undefined
  }

  #isDuplicate(address: Address, document: Document): boolean {
    const first = this.#firstOfAddress.get(address)
    if (first === undefined) this.#firstOfAddress.set(address, document)
    else {
      const message = `${printable(address)} is declared twice; the first is at ${shownPlace(first.place)}.`
      this.#error(document, '/metadata/name', {
        code: 'graph/duplicate',
        message,
        hint: 'Give one of them another metadata.name.',
      })
    }
    return first !== undefined
  }

  /** A target that finds resources by name cannot have two with one name. For some kinds this is only a warning. */
  #hasTakenName(declared: Declared): boolean {
    const { kind, spec, document, address } = declared
    const state = spec === undefined || kind.matching === undefined ? undefined : kind.encode(spec, unknownYet)
    const key = state && kind.matching?.key(state)
    if (state === undefined || key === undefined) return false
    const first = this.#firstOfKey.get(`${kind.family}/${key}`)
    if (first === undefined) this.#firstOfKey.set(`${kind.family}/${key}`, document)
    else {
      const name = quoted(kind.displayName?.(state) ?? key)
      const user = printable(addressOf(kind.family, first.name))
      const used = `already used by ${user} at ${shownPlace(first.place)}`
      const message = `${printable(address)} has the name ${name}, which is ${used}.`
      const finding = { code: 'graph/duplicate-name', message, hint: 'Give one of them another spec.name.' }
      this.problems.push(
        problemAt(kind.matching?.sharesNames === true ? 'warning' : 'error', document.locate('/spec/name'), finding),
      )
      declared.hasErrors ||= kind.matching?.sharesNames !== true
    }
    return first !== undefined && kind.matching?.sharesNames !== true
  }

  /** One by one: a call with 100,000 arguments overflows the stack. */
  #report(problems: readonly Problem[]): void {
    for (const problem of problems) this.problems.push(problem)
  }

  #error(document: Document, pointer: string, finding: Finding): void {
    this.problems.push(problemAt('error', document.locate(pointer), finding))
  }
}

function decoded(kind: Kind, document: Document): Steps<ReturnType<Kind['decode']>> {
  return kind.documents?.decodeSteps === undefined
    ? whenReady(() => kind.decode(document))
    : whenStepsReady(() => kind.documents!.decodeSteps!(document))
}

type Handling = Pick<Declared, 'meta' | 'needs'>

const noHandling: Handling = { meta: noMeta, needs: [] }

/** `needs` and `meta` of the document, if its kind takes them. */
function readHandling({ documents }: Kind, document: Document): Checked<Handling> {
  if (documents?.takesMeta !== true) return { value: noHandling, problems: [] }
  const [needs, meta] = [readNeeds(document), readMeta(document)]
  return { value: { needs: needs.value, meta: meta.value }, problems: [...needs.problems, ...meta.problems] }
}

function isNameError({ severity, place }: Problem): boolean {
  return severity === 'error' && place?.pointer === '/metadata/name'
}
