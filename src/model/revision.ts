// A revision is the immutable name of one state of a stack's sources: a part for each, in order, joined by commas. A part of git is
// 'stable@sha1:<commit>', of any other source 'sha256:<digest>'. What follows its last '@' is its state; two revisions are equal if all states are.

/** One part. `ref`: '' where a source has none; `state`: `sha1:<commit>` or `sha256:<digest>`. */
export function partOf(ref: string, state: string): string {
  return ref === '' ? state : `${ref}@${state}`
}

export function joinParts(parts: readonly string[]): string {
  return parts.join(',')
}

/** In the order of the sources. A ref may hold a comma: a part ends where one follows the digits of a state. */
export function partsOf(revision: string): readonly string[] {
  return revision.split(/(?<=sha(?:1|256):[0-9a-f]+),/)
}

/** 'sha1:<commit>' of 'stable@sha1:<commit>'. */
export function stateOf(part: string): string {
  return part.slice(part.lastIndexOf('@') + 1)
}

/** The ref of a part, '' where it has none. */
export function refOfPart(part: string): string {
  return part.slice(0, Math.max(0, part.lastIndexOf('@')))
}

/** The commit or digest of a part or a state, without its 'sha1:' or 'sha256:'. */
export function digitsOf(part: string): string {
  return stateOf(part).replace(/^sha(?:1|256):/, '')
}

/** The states of all parts: what two equal revisions have in common. */
export function statesOf(revision: string): string {
  return joinParts(partsOf(revision).map(stateOf))
}

export function sameRevision(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && statesOf(a) === statesOf(b)
}
