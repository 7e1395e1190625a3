// A revision names one immutable state of a stack's sources: a part for each, in order, joined by commas. A part of git
// is 'stable@sha1:<commit>', of other sources 'sha256:<digest>'. The state follows the last '@'. Two revisions are
// equal if all their states are.

/** One part. `ref`: '' for a source without refs; `state`: `sha1:<commit>` or `sha256:<digest>`. */
export function partOf(ref: string, state: string): string {
  return ref === '' ? state : `${ref}@${state}`
}

export function joinParts(parts: readonly string[]): string {
  return parts.join(',')
}

/** In the order of the sources. A ref may contain a comma: a part ends at a comma after the digits of a state. */
export function partsOf(revision: string): readonly string[] {
  return revision.split(/(?<=sha(?:1|256):[0-9a-f]+),/)
}

/** 'sha1:<commit>' of 'stable@sha1:<commit>'. */
export function stateOf(part: string): string {
  return part.slice(part.lastIndexOf('@') + 1)
}

/** The ref of a part; '' if it has none. */
export function refOfPart(part: string): string {
  return part.slice(0, Math.max(0, part.lastIndexOf('@')))
}

/** The commit or digest of a part or a state, without its 'sha1:' or 'sha256:'. */
export function digitsOf(part: string): string {
  return stateOf(part).replace(/^sha(?:1|256):/, '')
}

/** The states of all parts, which are equal for equal revisions. */
export function statesOf(revision: string): string {
  return joinParts(partsOf(revision).map(stateOf))
}

export function sameRevision(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && statesOf(a) === statesOf(b)
}
