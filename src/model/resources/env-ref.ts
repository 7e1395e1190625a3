// envRef: a value that the person who applies the package may give.
import { noValues, type EnvValues } from './document.js'
import { isObject, Secret, type Json } from '../json.js'
import { asText } from '../scalar.js'

/** `{envRef: {key, default?}}`; undefined for any other value. */
export function readEnvRef(value: Json | undefined): { readonly key: string; readonly default?: string } | undefined {
  const envRef = isObject(value) ? value['envRef'] : undefined
  if (!isObject(envRef)) return undefined
  const key = asText(envRef['key'])
  const fallback = asText(envRef['default'])
  return key === undefined || key === '' ? undefined : { key, ...(fallback === undefined ? {} : { default: fallback }) }
}

/**
 * The text of a string, a number or `{envRef: {key, default?}}`. An envRef gives its given value, else its default,
 * else the placeholder `env-<key>`; a value for credentials only counts as not given. undefined: any other value.
 */
export function resolveText(value: Json | undefined, values: EnvValues = noValues): string | undefined {
  if (!isObject(value)) return asText(value)
  const envRef = readEnvRef(value)
  if (envRef === undefined) return undefined
  const given = values.get(envRef.key)
  return (given instanceof Secret ? undefined : given) ?? envRef.default ?? `env-${envRef.key}`
}
