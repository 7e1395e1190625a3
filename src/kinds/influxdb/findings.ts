import type { Document, EnvReference } from '../../model/document.js'
import { printable } from '../../model/printable.js'
import { problemAt, type Finding, type Problem } from '../../model/problem.js'

/** Collects what is wrong with one document, and what it leaves to whoever applies it. Messages begin with what it is about: `Bucket/raw: …`. */
export class Findings {
  readonly problems: Problem[] = []
  readonly envReferences: EnvReference[] = []
  readonly #document: Document

  constructor(document: Document) {
    this.#document = document
  }

  error(pointer: string, finding: Finding): void {
    this.#add('error', pointer, finding)
  }

  warning(pointer: string, finding: Finding): void {
    this.#add('warning', pointer, finding)
  }

  #add(severity: Problem['severity'], pointer: string, { message, ...rest }: Finding): void {
    const { kind, name, place, locate } = this.#document
    const subject = name === '' ? `${kind} (document ${place.index})` : `${kind}/${name}`
    this.problems.push(problemAt(severity, locate(pointer), { ...rest, message: `${printable(subject)}: ${message}.` }))
  }
}
