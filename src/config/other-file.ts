// What a file is that is not a configuration file: one problem in place of one for each of its keys.
import { isUtf8 } from 'node:buffer'
import { withoutUndefined } from '../lib/without-undefined.js'
import type { Problem } from '../model/problem.js'
import { configurationKeys } from './configuration-document.js'

/** Why bytes are not the text of a file, and what to do. undefined: they are. */
export function notText(bytes: Buffer): { readonly reason: string; readonly hint: string } | undefined {
  if (!isUtf8(bytes)) return { reason: 'it is not UTF-8 text', hint: 'Save it as UTF-8.' }
  const at = bytes.indexOf(0)
  if (at === -1) return undefined
  const line = bytes.subarray(0, at).toString('utf8').split('\n').length
  return {
    reason: `it contains a NUL character in line ${line}`,
    hint: 'Remove the character, or save the file as UTF-8.',
  }
}

/** True for a text that has a key of the configuration file, and none of a package. */
export function isConfiguration(text: string): boolean {
  return hasKey(text, configurationKeys) && !hasKey(text, packageKeys)
}

const packageKeys = ['apiVersion', 'kind', 'metadata', 'spec']

/** Of a map of any YAML document of the text. */
function hasKey(text: string, keys: readonly string[]): boolean {
  return [...text.matchAll(/^["']?([A-Za-z]+)["']?[ \t]*:(?=\s|$)/gm)].some(([, key]) => keys.includes(key!))
}

/** Why a file is no configuration file. `value`: of its YAML; undefined: it has no single valid document. */
export function otherFile(file: string, text: string, value: unknown): Problem | undefined {
  const isPackage = hasKey(text, packageKeys) && !hasKey(text, configurationKeys)
  if (isPackage || isResource(value))
    return problem(file, 'This is a package, not a configuration file.', 'Check a package: gitmoor validate PATH')
  if (value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value))) return undefined
  const form = Array.isArray(value) ? 'list' : 'text'
  return problem(
    file,
    `A configuration file is a map of keys, such as \`stacks\`, not a ${form}.`,
    'The example has every key: config/gitmoor.yaml',
  )
}

/** In JSON, the keys of a resource may have any place in their line. */
function isResource(value: unknown): boolean {
  const document: unknown = Array.isArray(value) ? value[0] : value
  return typeof document === 'object' && document !== null && 'apiVersion' in document && 'kind' in document
}

/** Without any setting. The agent starts with it: all values are the defaults. */
export function emptyFile(file: string): Problem {
  const message = 'The file has no settings, so all of them have their defaults.'
  return { ...problem(file, message), severity: 'warning', code: emptyFileCode }
}

export const emptyFileCode = 'config/empty'

/** Why a reload of such a file is refused: it would suspend every stack of the file, and end every policy. */
export function emptyReload({ place }: Problem): Problem {
  return {
    severity: 'error',
    code: emptyFileCode,
    message: 'The file has no settings: it may be written only in part.',
    ...withoutUndefined({ place }),
    hint: 'Write the file again. To run without any settings, restart the agent.',
  }
}

function problem(file: string, message: string, hint?: string): Problem {
  const place = { file, index: 0, pointer: '', line: 1 }
  return { severity: 'error', code: 'config/invalid', message, place, ...(hint === undefined ? {} : { hint }) }
}
