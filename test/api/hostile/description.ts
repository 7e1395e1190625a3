// The OpenAPI document as tests use it: the operations it describes, and a check of answers against what it says of
// them.
import { z } from 'zod'

export type Schema = Readonly<Record<string, any>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
}

export interface Operation {
  /** `POST /api/v1/stacks/{name}/plan`. */
  readonly title: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** Of its JSON body. */
  readonly body: Schema | undefined
  /** Of its answers, by status; without one the content is no JSON. */
  readonly answers: Readonly<Record<string, Schema | undefined>>
  /** Needs no token. */
  readonly open: boolean
}

export interface Description {
  readonly operations: readonly Operation[]
  /** What is wrong with an answer; undefined: it is as described. */
  wrong(operation: Operation, status: number, body: unknown): string | undefined
  /** Whether a value is as a schema of this document wants it. */
  fits(schema: Schema, value: unknown): boolean
  /** What is wrong with the example of a component; undefined: nothing. */
  wrongExample(component: string): string | undefined
}

export function readDescription(document: any): Description {
  const definitions = rewritten(withoutExamples(document.components.schemas)) as Schema
  const closedDefinitions = closedObjects(definitions) as Schema
  /** Many answers share a schema, so schemas are compiled once by their text; and their text is printed once. */
  const compiled = new Map<string, z.ZodType>()
  const known = [new Map<Schema, z.ZodType>(), new Map<Schema, z.ZodType>()] as const
  const compile = (schema: Schema, closed: boolean): z.ZodType => {
    const whole = rewritten(schema) as Schema
    const key = `${closed} ${JSON.stringify(whole)}`
    if (!compiled.has(key)) {
      const $defs = reached(whole, closed ? closedDefinitions : definitions)
      const shown = (closed ? closedObjects(whole) : whole) as Schema
      compiled.set(key, z.fromJSONSchema({ ...shown, $defs }))
    }
    return compiled.get(key)!
  }
  const zodOf = (schema: Schema, closed: boolean): z.ZodType => {
    const read = known[closed ? 1 : 0]
    if (!read.has(schema)) read.set(schema, compile(schema, closed))
    return read.get(schema)!
  }
  const faultIn = (schema: Schema, value: unknown): string | undefined => {
    const result = zodOf(schema, true).safeParse(value)
    return result.success ? undefined : z.prettifyError(result.error)
  }
  return {
    operations: Object.entries(document.paths as Schema).flatMap(([path, methods]) =>
      Object.entries(methods as Schema).map(([method, operation]) =>
        operationOf(method, path, operation, document.components),
      ),
    ),
    wrong: ({ answers }, status, body) => {
      const schema = answers[status]
      return schema === undefined ? `an answer ${status} is not described` : faultIn(schema, body)
    },
    wrongExample: (component) => {
      const { examples } = document.components.schemas[component]
      return examples?.length > 0
        ? faultIn({ $ref: `#/components/schemas/${component}` }, examples[0])
        : 'there is no example'
    },
    fits: (schema, value) => zodOf(schema, false).safeParse(value).success,
  }
}

function operationOf(method: string, path: string, operation: any, components: any): Operation {
  const answers = Object.entries(operation.responses as Schema).map(([status, response]) => [
    status,
    named(response, components.responses).content?.['application/json']?.schema,
  ])
  const body = operation.requestBody?.content['application/json']?.schema
  return {
    title: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    parameters: operation.parameters ?? [],
    body: body && named(body, withoutExamples(components.schemas)),
    answers: Object.fromEntries(answers),
    open: operation.security?.length === 0,
  }
}

/** The definitions that a schema refers to, or they do: compiling copies all that it is given. */
function reached(schema: Schema, definitions: Schema): Schema {
  const found = new Map<string, unknown>()
  const addThoseOf = (one: unknown): void => {
    for (const [, name] of JSON.stringify(one).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (found.has(name!)) continue
      found.set(name!, definitions[name!])
      addThoseOf(definitions[name!])
    }
  }
  addThoseOf(schema)
  return Object.fromEntries(found)
}

/** What a reference names. */
function named(given: any, components: any): any {
  return given.$ref === undefined ? given : components[given.$ref.slice(given.$ref.lastIndexOf('/') + 1)]
}

/** Examples would be read as schemas. */
function withoutExamples(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, { examples: _examples, ...schema }]) => [name, schema]))
}

function rewritten(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/'))
}

/** An answer has only described fields. */
function closedObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closedObjects)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closedObjects(value)]))
  const open = inner['type'] === 'object' && 'properties' in inner && !('additionalProperties' in inner)
  return open ? { ...inner, additionalProperties: false } : inner
}
