// The body of a delivery, read only after it was verified.
import { pointerKeys } from '../lib/text/json-pointer.js'
import { jsonSize } from '../lib/text/json-size.js'
import { Refused } from '../model/errors.js'

/** Nesting of lists and maps. */
export const maximumNesting = 100
const mostCharacters = 2_000

/** Whether a body of that content type is a form. */
export function isFormType(contentType: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded *(;|$)/i.test(contentType ?? '')
}

/** A form with a field `payload`, or JSON. Errors: `Refused`. */
export function readPayload(isForm: boolean, body: Uint8Array): unknown {
  const text = decoded(body)
  const json = isForm ? new URLSearchParams(text).get('payload') : text
  if (json === null) throw unreadable('The form has no field payload.')
  if (jsonSize(json).nesting > maximumNesting)
    throw unreadable(`The body nests lists and maps more than ${maximumNesting} deep.`)
  try {
    return JSON.parse(json) as unknown
  } catch (cause) {
    throw unreadable('The body is not valid JSON.', cause)
  }
}

/** The value at a JSON Pointer (RFC 6901); undefined: there is none. */
export function valueAt(payload: unknown, pointer: string): unknown {
  return pointerKeys(pointer).reduce(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Readonly<Record<string, unknown>>)[key]
        : undefined,
    payload,
  )
}

/**
 * The string there; undefined: there is none, or it is too long or contains characters that names and addresses do not
 * have.
 */
export function textAt(payload: unknown, pointer: string): string | undefined {
  const value = valueAt(payload, pointer)
  const isName =
    typeof value === 'string' &&
    value !== '' &&
    value.length <= mostCharacters &&
    !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)
  return isName ? value : undefined
}

export function listAt(payload: unknown, pointer: string): readonly unknown[] {
  const value = valueAt(payload, pointer)
  return Array.isArray(value) ? value : []
}

export function unreadable(message: string, cause?: unknown): Refused {
  return new Refused('failed', message, {
    code: 'api/webhook-payload',
    hint: 'Check that the configuration file names the provider of this webhook. Configure the sender to send JSON.',
    ...(cause === undefined ? {} : { cause }),
  })
}

function decoded(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw unreadable('The body is not UTF-8 text.', cause)
  }
}
