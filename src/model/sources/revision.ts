// A revision identifies the content of all sources of a stack: the revision of each source, in order, joined by commas.
// That of a git source is 'stable@sha1:<commit>' (ref, '@', hash); of other sources it is the hash: 'sha256:<digest>'.
// Two revisions are equal if all their hashes are.

/** `ref`: '' for a source without refs; `hash`: `sha1:<commit>` or `sha256:<digest>`. */
export function sourceRevision(ref: string, hash: string): string {
  return ref === '' ? hash : `${ref}@${hash}`
}

export function joinSourceRevisions(revisions: readonly string[]): string {
  return revisions.join(',')
}

/** In the order of the sources. A ref may contain a comma, so only a comma after the digits of a hash separates. */
export function sourceRevisions(revision: string): readonly string[] {
  return revision.includes(',') ? revision.split(/,(?<=sha(?:1|256):[0-9a-f]+,)/) : [revision]
}

/** 'sha1:<commit>' of 'stable@sha1:<commit>'. */
export function revisionHash(revision: string): string {
  return revision.slice(revision.lastIndexOf('@') + 1)
}

/** The ref of the revision of one source; '' if it has none. */
export function revisionRef(revision: string): string {
  return revision.slice(0, Math.max(0, revision.lastIndexOf('@')))
}

/** The commit or digest of a source's revision or of a hash, without its 'sha1:' or 'sha256:'. */
export function hashDigits(revision: string): string {
  return revisionHash(revision).replace(/^sha(?:1|256):/, '')
}

/** The tags that version ranges chose, by commit. */
export type Versions = Readonly<Record<string, string>>

/**
 * `stable@2f1c9ab` for `stable@sha1:2f1c9ab…`, joined by commas for several sources. A version range with its version:
 * `^1.2 → v1.4.0@2f1c9ab`.
 */
export function shortRevision(revision: string, versions: Versions = {}): string {
  return sourceRevisions(revision)
    .map((one) => shortSourceRevision(one, versions))
    .join(',')
}

function shortSourceRevision(revision: string, versions: Versions): string {
  const digits = hashDigits(revision)
  if (!wholeDigits.test(digits)) return revision
  const version = versions[digits]
  const name = version === undefined ? revisionRef(revision) : `${rangeOf(revision)} → ${version}`
  return sourceRevision(name, digits.slice(0, 7))
}

const wholeDigits = /^[0-9a-f]{40,64}$/

function rangeOf(revision: string): string {
  return revisionRef(revision).replace(/^semver:(?:[^:]*:)?/, '')
}

/** The hashes of all sources, which are equal for equal revisions. */
export function revisionHashes(revision: string): string {
  return joinSourceRevisions(sourceRevisions(revision).map(revisionHash))
}

export function sameRevision(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && (a === b || revisionHashes(a) === revisionHashes(b))
}

/**
 * True if a revision is the one a person named: by its whole text, or by at least 7 digits of one of its commits or
 * digests.
 */
export function revisionMatches(revision: string | null, named: string): boolean {
  if (revision === null) return false
  if (revision === named) return true
  const digits = hashDigits(named)
  return digits.length >= 7 && sourceRevisions(revision).some((one) => hashDigits(one).startsWith(digits))
}
