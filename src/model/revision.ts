// A revision is the immutable name of one state of a source: 'stable@sha1:<commit>'. Two are equal if what follows '@' is.

export function revisionOf(ref: string, commit: string): string {
  return `${ref}@sha1:${commit}`
}

/** What follows the last '@': 'sha1:<commit>'. */
export function contentOf(revision: string): string {
  return revision.slice(revision.lastIndexOf('@') + 1)
}

export function commitOf(revision: string): string {
  return contentOf(revision).replace(/^sha1:/, '')
}

export function sameRevision(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && contentOf(a) === contentOf(b)
}
