import type { Fields } from './fields.js'

/** The key and the value of a tag. InfluxDB rejects empty ones. `what`: `tag`, for the message. */
export function readKeyAndValue(fields: Fields, what: string): { readonly key: string; readonly value: string } {
  const [key, value] = (['key', 'value'] as const).map((field) => {
    const text = fields.text(field) ?? ''
    if (text === '') fields.error(field, 'required', `the ${what} has no ${field}`)
    return text
  })
  return { key: key!, value: value! }
}
