import type { Kind } from '../../model/kind.js'
import { quoted } from '../../model/printable.js'
import { readCredential, writtenCredential, type Credential } from './credential.js'
import type { Fields } from './fields.js'
import { upper } from './level.js'
import type { Means } from './means.js'
import { endpointKind, type EndpointSpec, type OwnFields } from './notification-endpoint.js'
import { written } from './written.js'

/** Packages may name other methods, but InfluxDB refuses them. */
const methods = ['GET', 'POST', 'PUT']
/** The credentials that each type needs. */
const needs: Readonly<Record<string, readonly string[]>> = {
  none: [],
  basic: ['password', 'username'],
  bearer: ['token'],
}
const credentials = ['username', 'password', 'token']

/** State: the fields of every endpoint, `{method, authMethod}` from `spec.type`, and the credentials it uses. */
export function notificationEndpointHttpKind(means: Means): Kind<EndpointSpec> {
  return endpointKind({
    kind: 'NotificationEndpointHTTP',
    type: 'http',
    readOwn: (spec) => readOwn(spec, means),
    declareOwn: (held, _nameOf, identity) => {
      const { method, authMethod } = held
      const given = credentials.map((field) => [field, writtenCredential(held, field, identity)] as const)
      return written({ method, type: authMethod, ...Object.fromEntries(given) })
    },
  })
}

function readOwn(spec: Fields, means: Means): OwnFields {
  const method = readMethod(spec)
  const authMethod = spec.word('type') ?? ''
  const given = new Map(credentials.map((field) => [field, readCredential(spec, field, means)]))
  checkCredentials(spec, authMethod, given)
  const used = [...given].filter(
    (one): one is [string, Credential] => one[1] !== undefined && usedBy(authMethod, one[0]),
  )
  return { own: { method, authMethod, ...Object.fromEntries(used) }, credentials: [...given.values()] }
}

function readMethod(spec: Fields): string {
  const method = upper(spec.text('method') ?? '')
  const what = method === '' ? 'there is no method' : `there is no method ${quoted(method)}`
  if (!methods.includes(method)) spec.error('method', 'not-allowed', what, `One of ${methods.join(', ')}.`)
  return method
}

function checkCredentials(spec: Fields, authMethod: string, given: ReadonlyMap<string, Credential | undefined>): void {
  const needed = Object.hasOwn(needs, authMethod) ? needs[authMethod]! : undefined
  if (needed === undefined) {
    const what = authMethod === '' ? 'the endpoint has no type' : `there is no type ${quoted(authMethod)}`
    spec.error('type', 'not-allowed', what, `One of ${Object.keys(needs).join(', ')}.`)
    return
  }
  for (const field of needed)
    if (given.get(field) === undefined) spec.error(field, 'required', `type ${authMethod} needs a ${field}`)
  for (const [field, credential] of given)
    if (credential !== undefined && !needed.includes(field))
      spec.warning(field, 'no-effect', `type ${authMethod} uses no ${field}; it is ignored`)
}

function usedBy(authMethod: string, field: string): boolean {
  return Object.hasOwn(needs, authMethod) && needs[authMethod]!.includes(field)
}
