// A revision names one immutable state of a stack's sources: a part for each, in order, joined by commas. A part of git
// is 'stable@sha1:<commit>', of other sources 'sha256:<digest>'. The state follows the last '@'. Two revisions are
// equal if all their states are.

/** One part. `ref`: '' for a source without refs; `state`: `sha1:<commit>` or `sha256:<digest>`. */
export function sourceRevision(ref: string, state: string): string {
  return ref === '' ? state : `${ref}@${state}`
}

export function joinSourceRevisions(parts: readonly string[]): string {
  return parts.join(',')
}

/** In the order of the sources. A ref may contain a comma: a part ends at a comma after the digits of a state. */
export function sourceRevisions(revision: string): readonly string[] {
  return revision.split(/(?<=sha(?:1|256):[0-9a-f]+),/)
}

/** 'sha1:<commit>' of 'stable@sha1:<commit>'. */
export function revisionHash(part: string): string {
  return part.slice(part.lastIndexOf('@') + 1)
}

/** The ref of a part; '' if it has none. */
export function revisionRef(part: string): string {
  return part.slice(0, Math.max(0, part.lastIndexOf('@')))
}

/** The commit or digest of a part or a state, without its 'sha1:' or 'sha256:'. */
export function hashDigits(part: string): string {
  return revisionHash(part).replace(/^sha(?:1|256):/, '')
}

/** The states of all parts, which are equal for equal revisions. */
export function revisionHashes(revision: string): string {
  return joinSourceRevisions(sourceRevisions(revision).map(revisionHash))
}

export function sameRevision(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && revisionHashes(a) === revisionHashes(b)
}

/**
 * True if a revision is the one a person named: by its whole text, or by at least 7 digits of one of its commits or
 * digests.
 */
export function revisionMatches(revision: string | null, named: string): boolean {
  if (revision === null) return false
  if (revision === named) return true
  const digits = hashDigits(named)
  return digits.length >= 7 && sourceRevisions(revision).some((part) => hashDigits(part).startsWith(digits))
}
