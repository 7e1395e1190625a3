// The files of `credentials` for ssh addresses.
import { resolve } from 'node:path'
import { z } from 'zod'
import { invalidField, readProblems, type RawMap } from './entry-problems.js'
import type { Problem } from '../model/problem.js'
import type { ValueLookup } from '../secrets/resolve-value.js'
import { resolveSshLogin, sshPathProblem } from '../secrets/ssh-login.js'
import type { YamlFile, YamlPath } from '../settings/schema/read-yaml.js'

export const sshFile = z
  .string()
  .min(1, 'must not be empty.')
  .refine(
    (text) => !text.includes('${'),
    'must be a file path: ${…} is not supported here, and gitmoor rereads the file at each use.',
  )

/** Of an otherwise valid entry: paths that ssh cannot take, and invalid files. */
export function sshProblems(file: YamlFile, at: YamlPath, entry: RawMap, lookup: ValueLookup): readonly Problem[] {
  const { identityFile, agent, knownHosts } = entry
  const given = Object.entries({ identityFile, knownHosts }).flatMap(([key, text]) =>
    sshFile.safeParse(text).success ? [[key, resolve(lookup.directory, String(text))] as const] : [],
  )
  const wrong = given.flatMap(([key, absolute]) => {
    const problem = sshPathProblem(absolute)
    return problem === undefined ? [] : [invalidField(file, [...at, key], problem)]
  })
  if (wrong.length > 0 || agent !== undefined || given.length < 2) return wrong
  const login = Object.fromEntries(given) as { readonly identityFile: string; readonly knownHosts: string }
  return readProblems(file, at, () => resolveSshLogin(login, lookup))
}
