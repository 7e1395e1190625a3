// envRef: a value that whoever applies the package may supply (packages 1.13).
import { isObject, type Json } from '../model/json.js'
import { textOf } from './scalar.js'

/** Values by env key. */
export type EnvValues = ReadonlyMap<string, string>

export const noEnv: EnvValues = new Map()

/**
 * The text that a string, a number or `{envRef: {key, default?}}` stands for: of an envRef what was supplied, else its default, else the
 * placeholder `env-<key>`. undefined: it is none of these.
 */
export function resolveText(value: Json | undefined, env: EnvValues = noEnv): string | undefined {
  return isObject(value) ? resolveEnvRef(value['envRef'], env) : textOf(value)
}

function resolveEnvRef(envRef: Json | undefined, env: EnvValues): string | undefined {
  if (!isObject(envRef)) return undefined
  const key = textOf(envRef['key'])
  if (key === undefined || key === '') return undefined
  return env.get(key) ?? textOf(envRef['default']) ?? `env-${key}`
}
