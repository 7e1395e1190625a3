import {
  constructFromEvents,
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  floatCoreTag,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
} from 'js-yaml'
import { newMap, type Json } from '../model/json.js'
import { equalKeys, explained, findDocuments, readEvents, type YamlDocument, type YamlLimits } from './yaml-events.js'
import { longKey, mostKeyCharacters } from './parse-error.js'

export interface ParsedYaml {
  /** As many as `documents`; null for an empty one. */
  readonly values: readonly Json[]
  readonly documents: readonly YamlDocument[]
}

const plainMapTag = defineMappingTag<Record<string, unknown>>(mapTag.tagName, {
  ...mapTag,
  create: () => newMap<unknown>(),
  addPair: (map, key, value) => {
    if (typeof key === 'object' && key !== null) return 'a key must be a string, not a list or map'
    if (String(key).length > mostKeyCharacters) return longKey
    map[String(key)] = value
    return ''
  },
})

// JSON has no .inf and .nan: they stay text.
const finiteFloatTag = defineScalarTag<number>(floatCoreTag.tagName, {
  ...floatCoreTag,
  resolve: (source, isExplicit, tagName) => {
    const value = floatCoreTag.resolve(source, isExplicit, tagName)
    return typeof value === 'number' && Number.isFinite(value) ? value : NOT_RESOLVED
  },
})

const schema = CORE_SCHEMA.withTags(mergeTag, finiteFloatTag, plainMapTag)

/** Parses YAML 1.2, core schema, with merge keys (`<<`), which people use with aliases. Errors: `Unreadable`. */
export function parseYaml(text: string, limits: YamlLimits): ParsedYaml {
  const events = readEvents(text, limits)
  const documents = findDocuments(events, text, limits)
  const options = { source: text, schema, maxTotalMergeKeys: limits.aliasNodes }
  const construct = (): unknown => constructFromEvents(events, options)
  return {
    documents,
    values: explained(text, limits, construct, (offset) => equalKeys(events, text, offset)) as Json[],
  }
}
