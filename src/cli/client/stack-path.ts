import { usageErrors } from '../errors/usage-errors.js'

/** The API path of a stack. Errors: `UsageError` for a name that would change the path. */
export function stackPath(name: string, ...below: readonly string[]): string {
  const invalid = [name, ...below].find((part) => part === '' || part === '.' || part === '..')
  if (invalid !== undefined) throw usageErrors.invalidName(invalid)
  return `/api/v1/stacks/${[name, ...below].map(encodeURIComponent).join('/')}`
}
