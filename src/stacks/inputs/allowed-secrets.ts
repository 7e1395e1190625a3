// The references to secrets that stacks of the API may have: anybody with the token could otherwise read any variable
// and file of the agent.
import { isAbsolute } from 'node:path'
import { quoted } from '../../lib/text/printable.js'
import type { AllowedSecrets } from '../../model/resources/inputs.js'
import { isWithin, realPath } from '../../source/allowed-directory.js'

/** Why `${env:NAME}` or `${file:PATH}` may not be read; undefined: it may. A link counts as the file that it names. */
export function refusedReference(reference: string, allowed: AllowedSecrets): string | undefined {
  const [, scheme = '', name = ''] = /^\$\{(env|file):([^}]+)\}$/.exec(reference) ?? []
  const entry = `${scheme}:${name}`
  if (scheme === 'env')
    return allowed.environment.includes(name) ? undefined : `allow.secrets does not list ${quoted(entry)}.`
  if (!isAbsolute(name)) return `The path of ${quoted(entry)} is not absolute.`
  const real = realPath(name)
  return !isWithin(real, allowed.dataDirectory) && allowed.files.some((path) => isWithin(real, path))
    ? undefined
    : `allow.secrets lists neither ${quoted(entry)} nor a directory above it.`
}
