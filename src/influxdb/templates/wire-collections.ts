import { compareText } from '../../lib/text/compare-text.js'
import { collections } from '../kinds/kinds.js'
import { familyOf, nameOf, type Address } from '../../model/address.js'
import { Secret, Unknown, type Json, type JsonObject } from '../../model/json.js'
import type { Resource } from '../../model/resources/resource.js'

/** An empty list for every collection of the InfluxDB API: none is ever null. */
export function emptyCollections(): Record<string, JsonObject[]> {
  return Object.fromEntries(Object.values(collections).map((collection) => [collection, []]))
}

export function collectionFor(address: Address): string | undefined {
  const family = familyOf(address)
  return Object.hasOwn(collections, family) ? collections[family] : undefined
}

/** Resources with an entry of their own in a collection, by metaName. */
export function listedResources(resources: readonly Resource[]): readonly Resource[] {
  return resources
    .filter(({ partOf, address }) => partOf === undefined && collectionFor(address) !== undefined)
    .sort((a, b) => compareText(nameOf(a.address), nameOf(b.address)))
}

/** The value without `Unknown` and `Secret` leaves, which become ''. Without such leaves it is the same object. */
function plainJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Unknown || value instanceof Secret) return ''
  if (!Array.isArray(value)) return plainObject(value as JsonObject)
  const list = value as readonly Json[]
  return list.every((one) => plainJson(one) === one) ? list : list.map(plainJson)
}

export function plainObject(value: JsonObject): JsonObject {
  for (const key in value) if (plainJson(value[key]!) !== value[key]) return plainCopy(value)
  return value
}

function plainCopy(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainJson(one)]))
}
