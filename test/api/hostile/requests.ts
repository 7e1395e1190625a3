// Requests made from the description: one that is right for each operation, and all that go wrong in one place.
import { beyond, wrongBodies } from './wrong-values.js'
import type { Description, Operation, Parameter, Schema } from './description.js'

/** A request as it is handed to the API. */
export interface Asking {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** What a right request is made of: values of parameters and of the body's properties, by name. */
export type Examples = Readonly<Record<string, unknown>>

const json = { 'Content-Type': 'application/json' }

export function rightRequest(operation: Operation, examples: Examples, headers: Asking['headers']): Asking {
  const body = operation.body === undefined ? undefined : JSON.stringify(exampleOf(operation.body, examples))
  return {
    what: 'a right request',
    method: operation.method,
    path: pathOf(operation, examples),
    headers: { ...headers, ...(body === undefined ? {} : json) },
    ...(body === undefined ? {} : { body }),
  }
}

/** Requests that are always refused. `strangers`: headers without the right token. */
export function strangeRequests(operation: Operation, right: Asking, token: string): readonly Asking[] {
  if (operation.open) return []
  const { Authorization: _, ...headers } = right.headers
  const strangers: Readonly<Record<string, Asking['headers']>> = {
    'no token': headers,
    'a wrong token': { ...headers, Authorization: `Bearer ${token}x` },
    'a token cut short': { ...headers, Authorization: `Bearer ${token.slice(0, -1)}` },
    'an empty token': { ...headers, Authorization: 'Bearer ' },
    'another scheme': { ...headers, Authorization: `Basic ${Buffer.from(`admin:${token}`).toString('base64')}` },
    'two tokens': { ...headers, Authorization: `Bearer x, Bearer ${token}` },
    'a wrong Host': { ...right.headers, Host: 'evil.example' },
    'a Host that only begins right': { ...right.headers, Host: '127.0.0.1.evil.example' },
    'a name that is none': { ...right.headers, 'X-Gitmoor-By': '\u009b31m' },
  }
  const forbidden = Object.entries(strangers).map(([what, given]) => ({ ...right, what, headers: given }))
  const inQuery = {
    ...right,
    what: 'the token in the query',
    headers,
    path: `${right.path}${separator(right.path)}token=${token}`,
  }
  return [...forbidden, inQuery]
}

/** Refused for what they ask. */
export function wrongRequests(
  operation: Operation,
  right: Asking,
  description: Description,
  examples: Examples,
): readonly Asking[] {
  return [
    ...wrongPaths(operation, right, examples).filter((asking) => !isOther(asking, description.operations)),
    ...wrongQueries(operation, right, examples),
    ...(operation.body === undefined ? [] : wrongContents(operation.body, right, description, examples)),
  ]
}

/** Methods that the path does not have. */
export function otherMethods(operation: Operation, right: Asking, operations: readonly Operation[]): readonly Asking[] {
  const has = operations.filter(({ path }) => path === operation.path).map(({ method }) => method)
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'BREW', 'PROPFIND'].filter((method) => !has.includes(method))
  return others.map((method) => {
    const { body: _, ...rest } = right
    return { ...rest, what: `the method ${method}`, method }
  })
}

const noNames: Readonly<Record<string, string>> = {
  'nothing in its path': '',
  '.. in its path': '..',
  '%2e%2e in its path': '%2e%2e',
  'NUL in its path': '%00',
  'half an escape in its path': '%E0%A4%A',
  '10 kB in its path': 'x'.repeat(10_000),
  'a bidirectional override in its path': '%E2%80%AEevil',
  'a wildcard in its path': '*',
  'a quote and a semicolon in its path': "'%3B--",
  'a slash in its path': 'a%2Fb',
  'a line break in its path': 'a%0D%0AX-Evil:%201',
}

function wrongPaths(operation: Operation, right: Asking, examples: Examples): readonly Asking[] {
  return operation.parameters
    .filter((parameter) => parameter.in === 'path')
    .flatMap(({ name }) =>
      Object.entries(noNames).map(([what, text]) => ({
        ...right,
        what,
        path: pathOf(operation, examples, { [name]: text }),
      })),
    )
}

/**
 * True for a right request of another operation: clients and servers remove `..` before a path has a meaning (RFC 3986,
 * 5.2.4), so `/api/v1/stacks/../runs` is `/api/v1/runs`.
 */
function isOther({ method, path }: Asking, operations: readonly Operation[]): boolean {
  const [written] = path.split('?')
  const { pathname } = new URL(path, 'http://127.0.0.1')
  return pathname !== written && operations.some((one) => one.method === method && one.path === pathname)
}

function wrongQueries(operation: Operation, right: Asking, examples: Examples): readonly Asking[] {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  const with_ = (text: string): string => `${right.path}${separator(right.path)}${text}`
  const known = query.flatMap((parameter) => {
    const { name, schema } = parameter
    const once = `${name}=${encodeURIComponent(printed(exampleOf(schema, examples, name)))}`
    const wrong = [
      ...beyond(schema).map(([, value]) => String(value)),
      ...(schema['type'] === 'integer' ? ['many', '0x10', '1e400'] : []),
    ]
    return [
      { ...right, what: `${name} twice`, path: parameter.required ? with_(once) : with_(`${once}&${once}`) },
      ...wrong.map((value) => ({
        ...right,
        what: `${name}=${value.slice(0, 20)}`,
        path: replaced(operation, examples, parameter, value),
      })),
      ...(parameter.required ? [{ ...right, what: `no ${name}`, path: pathOf(operation, examples, {}, [name]) }] : []),
    ]
  })
  return [
    ...known,
    ...['nobody-knows=1', '__proto__=1'].map((text) => ({ ...right, what: `an unknown ${text}`, path: with_(text) })),
  ]
}

function replaced(operation: Operation, examples: Examples, { name }: Parameter, value: string): string {
  const path = pathOf(operation, examples, {}, [name])
  return `${path}${separator(path)}${name}=${encodeURIComponent(value)}`
}

function wrongContents(schema: Schema, right: Asking, description: Description, examples: Examples): readonly Asking[] {
  const value = exampleOf(schema, examples)
  const text = JSON.stringify(value)
  const bodies = wrongBodies(schema, value, description).map(([what, wrong]) => ({
    ...right,
    what,
    body: JSON.stringify(wrong),
  }))
  const raw: Readonly<Record<string, string | Uint8Array>> = {
    'JSON cut short': text.slice(0, -1),
    'JSON twice': `${text}${text}`,
    'what is no JSON': '<html>',
    'bytes that are no UTF-8': Uint8Array.from([0xff, 0xfe, 0x00]),
    'lists 200,000 deep': `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
    'a value that is deep': text.replace(
      /\}$/,
      `${text === '{}' ? '' : ','}"nobody-knows":${'['.repeat(3_000)}${']'.repeat(3_000)}}`,
    ),
  }
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json5',
    'application/yaml',
  ]
  return [
    ...bodies,
    ...Object.entries(raw).map(([what, body]) => ({ ...right, what, body })),
    ...types.map((type) => ({
      ...right,
      what: `a body of ${type}`,
      headers: { ...right.headers, 'Content-Type': type },
      body: text,
    })),
  ]
}

/** `given`: raw text for a parameter in the path. `leave`: parameters of the query to omit. */
function pathOf(
  operation: Operation,
  examples: Examples,
  given: Readonly<Record<string, string>> = {},
  leave: readonly string[] = [],
): string {
  const path = operation.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => given[name] ?? encodeURIComponent(printed(examples[name] ?? 'x')),
  )
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required && !leave.includes(parameter.name))
    .map(({ name, schema }) => `${name}=${encodeURIComponent(printed(exampleOf(schema, examples, name)))}`)
  return query.length === 0 ? path : `${path}?${query.join('&')}`
}

function printed(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function separator(path: string): string {
  return path.includes('?') ? '&' : '?'
}

/** A value as a schema wants it; only what it requires. */
function exampleOf(schema: Schema, examples: Examples, name = ''): unknown {
  if (Object.hasOwn(examples, name)) return examples[name]
  if (schema['enum'] !== undefined) return schema['enum'][0]
  if (schema['type'] === 'integer') return schema['minimum'] ?? 0
  if (schema['type'] === 'boolean') return true
  if (schema['type'] === 'array') return [exampleOf(schema['items'] as Schema, examples)]
  if (schema['type'] !== 'object') return 'x'.repeat(Math.max(1, (schema['minLength'] as number | undefined) ?? 1))
  const required = (schema['required'] ?? []) as readonly string[]
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  return Object.fromEntries(required.map((key) => [key, exampleOf(properties[key]!, examples, key)]))
}
