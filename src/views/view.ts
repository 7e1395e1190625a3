// What clients see of each noun: one file for each, with the schema and the type that is inferred from it. The HTTP API
// answers with them, `--json` prints them, openapi.json and docs/reference/json.md describe them. Fields may be added;
// existing ones never change. Times are RFC 3339 in UTC.
import { z } from '@hono/zod-openapi'
import type { Address, Identity } from '../model/address.js'
import type { Json, JsonObject } from '../model/json.js'

/** The type of a view: the output of its schema, read-only, without `undefined` in optional fields. */
export type View<Schema extends z.ZodType> = Exact<z.output<Schema>>

/** Any JSON stays as it is: it is read-only already, and its type is infinite. */
type Exact<T> = [Json] extends [T] ? T : [JsonObject] extends [T] ? T : ExactPart<T>

type ExactPart<T> = T extends string | number | boolean | null
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Exact<Item>[]
    : { readonly [Key in keyof T]: Exact<Exclude<T[Key], undefined>> }

/** A read-only list. */
export function list<Item extends z.ZodType>(item: Item): z.ZodReadonly<z.ZodArray<Item>> {
  return z.array(item).readonly()
}

/** A component of openapi.json, or null. `.nullable()` would make the component itself nullable, or lose the null. */
export function orNull<Schema extends z.ZodType>(schema: Schema): z.ZodUnion<[Schema, z.ZodNull]> {
  return z.union([schema, z.null()])
}

export const time = z.string().openapi({ format: 'date-time', description: 'RFC 3339, UTC.' })

/** Beside revisions, which name only the range. Absent: the stack follows no version range. */
export const versions = z
  .record(z.string(), z.string())
  .optional()
  .describe('The tags that version ranges chose, by commit. Absent: none is known.')

export const address = z
  .string()
  .describe('FAMILY/NAME as in the package: `Bucket/raw`.') as z.ZodType<unknown> as z.ZodType<Address>

export const identity = z
  .string()
  .describe('The id of a resource on its target.') as z.ZodType<unknown> as z.ZodType<Identity>

/** Secrets are written as `(secret FINGERPRINT)`, values that another resource gives as `(known after apply: …)`. */
export const json = z.unknown().describe('Any JSON.') as z.ZodType<Json>

export const jsonObject = z.looseObject({}).describe('Any JSON object.') as z.ZodType<unknown> as z.ZodType<JsonObject>
