import { usageErrors } from '../errors/usage-errors.js'

/** The API path of a target. Errors: `UsageError` for a name that would change the path. */
export function targetPath(name: string, ...below: readonly string[]): string {
  if (name === '' || name === '.' || name === '..') throw usageErrors.invalidName(name)
  return ['/api/v1/targets', encodeURIComponent(name), ...below].join('/')
}
