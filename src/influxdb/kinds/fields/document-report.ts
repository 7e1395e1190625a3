import type { Document, EnvReference } from '../../../model/resources/document.js'
import { printable, shortened } from '../../../lib/text/printable.js'
import { problemAt, shownPlace, type Finding, type Problem } from '../../../model/problem.js'

/** Characters of a name in a message; a valid one has at most 63. */
const mostName = 80

/** Collects the problems and the references of one document. Messages begin with its address: `Bucket/raw: …`. */
export class DocumentReport {
  readonly problems: Problem[] = []
  readonly envReferences: EnvReference[] = []
  readonly #document: Document

  constructor(document: Document) {
    this.#document = document
  }

  /** `shown`: the pointer that InfluxDB reports, if it differs. */
  error(pointer: string, finding: Finding, shown?: string): void {
    this.#add('error', pointer, finding, shown)
  }

  warning(pointer: string, finding: Finding): void {
    this.#add('warning', pointer, finding)
  }

  /** `dashboards/a.yml:12`: where the value at a pointer is. */
  placeOf(pointer: string): string {
    return shownPlace(this.#document.locate(pointer))
  }

  #add(severity: Problem['severity'], pointer: string, { message, ...rest }: Finding, shown?: string): void {
    const { kind, name, place, locate } = this.#document
    const subject = name === '' ? `${kind} (document ${place.index + 1})` : `${kind}/${shortened(name, mostName)}`
    const finding = { ...rest, message: `${printable(subject)}: ${message}.` }
    this.problems.push(problemAt(severity, locate(pointer), finding, shown))
  }
}
