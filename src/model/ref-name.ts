import { rangeProblem, readVersionRange } from './version-range.js'

/**
 * The problem of a ref, as words that follow it; undefined: valid. A ref is a branch, a tag, a full ref, HEAD, a
 * commit, or a version range over tags.
 */
export function refProblem(ref: string): string | undefined {
  if (ref.length > 255) return 'is longer than 255 characters.'
  const versions = readVersionRange(ref)
  if (versions === undefined) return nameProblem(ref)
  return (versions.prefix === '' ? undefined : nameProblem(`${versions.prefix}1`)) ?? rangeProblem(versions.range)
}

/** The rules of names are those of git: https://git-scm.com/docs/git-check-ref-format */
function nameProblem(ref: string): string | undefined {
  if (ref === '') return 'must not be empty.'
  if (/[\x00-\x20\x7f]/.test(ref)) return 'must not hold blanks or control characters.'
  const bad = /[~^:?*[\\]/.exec(ref)
  if (bad) return `must not hold ${bad[0]} (a name is needed, not an expression).`
  if (ref.startsWith('-')) return 'must not begin with -.'
  if (ref.includes('..')) return 'must not hold two dots in a row.'
  if (ref === '@' || ref.includes('@{')) return 'must not be @ nor hold @{ (a name is needed, not an expression).'
  if (ref.endsWith('.')) return 'must not end with a dot.'
  return partProblem(ref.split('/'))
}

function partProblem(parts: readonly string[]): string | undefined {
  if (parts.some((part) => part === '')) return 'must not begin or end with a slash, nor hold two in a row.'
  if (parts.some((part) => part.startsWith('.'))) return 'must not have a part that begins with a dot.'
  if (parts.some((part) => part.endsWith('.lock'))) return 'must not have a part that ends with .lock.'
  return undefined
}
