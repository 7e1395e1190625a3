// envRef: a value that the person who applies the package may supply.
import { noValues, type EnvValues } from './document.js'
import { isObject, Secret, type Json } from './json.js'
import { asText } from './scalar.js'

/** `{envRef: {key, default?}}`; undefined for any other value. */
export function readEnvRef(value: Json | undefined): { readonly key: string; readonly default?: string } | undefined {
  const envRef = isObject(value) ? value['envRef'] : undefined
  if (!isObject(envRef)) return undefined
  const key = asText(envRef['key'])
  const fallback = asText(envRef['default'])
  return key === undefined || key === '' ? undefined : { key, ...(fallback === undefined ? {} : { default: fallback }) }
}

/**
 * The text of a string, a number or `{envRef: {key, default?}}`. An envRef gives its supplied value, else its default,
 * else the placeholder `env-<key>`; a value for credentials only counts as not supplied. undefined: any other value.
 */
export function resolveText(value: Json | undefined, values: EnvValues = noValues): string | undefined {
  if (!isObject(value)) return asText(value)
  const envRef = readEnvRef(value)
  if (envRef === undefined) return undefined
  const supplied = values.get(envRef.key)
  return (supplied instanceof Secret ? undefined : supplied) ?? envRef.default ?? `env-${envRef.key}`
}
