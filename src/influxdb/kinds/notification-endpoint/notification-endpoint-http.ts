import type { Kind } from '../../../model/resources/kind.js'
import { quoted } from '../../../lib/text/printable.js'
import { readCredential, exportedCredential, type EndpointCredential } from './credential.js'
import type { Fields } from '../fields/fields.js'
import { upper } from '../fields/level.js'
import type { KindContext } from '../kind-context.js'
import { endpointKind, type EndpointSpec, type OwnFields } from './notification-endpoint.js'
import { exportedFields } from '../state.js'

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
export function notificationEndpointHttpKind(means: KindContext): Kind<EndpointSpec> {
  return endpointKind({
    kind: 'NotificationEndpointHTTP',
    type: 'http',
    readOwn: (spec) => readOwn(spec, means),
    declareOwn: (state, _nameOf, identity) => {
      const { method, authMethod } = state
      const given = credentials.map((field) => [field, exportedCredential(state, field, identity)] as const)
      return exportedFields({ method, type: authMethod, ...Object.fromEntries(given) })
    },
  })
}

function readOwn(spec: Fields, means: KindContext): OwnFields {
  const method = readMethod(spec)
  const authMethod = spec.word('type') ?? ''
  const given = new Map(credentials.map((field) => [field, readCredential(spec, field, means)]))
  checkCredentials(spec, authMethod, given)
  const used = [...given].filter(
    (one): one is [string, EndpointCredential] => one[1] !== undefined && usedBy(authMethod, one[0]),
  )
  return { own: { method, authMethod, ...Object.fromEntries(used) }, credentials: [...given.values()] }
}

function readMethod(spec: Fields): string {
  const method = upper(spec.text('method') ?? '')
  const what = method === '' ? 'there is no method' : `there is no method ${quoted(method)}`
  if (!methods.includes(method)) spec.error('method', 'not-allowed', what, `One of ${methods.join(', ')}.`)
  return method
}

function checkCredentials(
  spec: Fields,
  authMethod: string,
  given: ReadonlyMap<string, EndpointCredential | undefined>,
): void {
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
