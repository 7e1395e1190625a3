// The kinds of a real server: those of the embedded platform, but a removal there loses more, and a bucket has no
// explicit schema: only InfluxDB Cloud has them.
import { problemAt, type Problem } from '../../model/problem.js'
import { Secret, type JsonObject } from '../../model/json.js'
import { sameJson } from '../../plan/diff.js'
import type { Document } from '../../model/resources/document.js'
import type { Kind } from '../../model/resources/kind.js'
import { influxdbKindsWith, type BucketSpec, type KindContext } from '../kinds/kinds.js'

/** What creating a removed resource again does not bring back, by family. The server never shows credentials. */
const lost: Readonly<Record<string, string>> = {
  Check: 'run history',
  Label: 'mappings on resources outside of the stack',
  NotificationEndpoint: 'stored credentials',
  NotificationRule: 'run history',
  Task: 'run history',
}

export function liveKinds(context: KindContext): readonly Kind[] {
  return influxdbKindsWith(context).map((kind) => {
    if (kind.family === 'Secret') return { ...kind, removal: { ...kind.removal, overwrites: overwritesSecret } }
    if (kind.family === 'Bucket') return withoutSchemas(kind as Kind<BucketSpec>)
    const what = lost[kind.family]
    if (what === undefined) return kind
    const overwrites = kind.family === 'NotificationEndpoint' ? { overwrites: overwritesSecret } : {}
    return { ...kind, removal: { ...kind.removal, losesData: true, lost: what, ...overwrites } }
  })
}

/** The server never shows the value of a secret, nor the credentials that it stores for an endpoint. */
function overwritesSecret(actual: JsonObject, desired: JsonObject): boolean {
  return Object.entries(actual).some(
    ([field, value]) => value instanceof Secret && desired[field] !== undefined && !sameJson(value, desired[field]),
  )
}

/** As InfluxDB's own packages do there: an explicit schema has no effect. */
function withoutSchemas(bucket: Kind<BucketSpec>): Kind<BucketSpec> {
  return {
    ...bucket,
    decode: (document) => {
      const { value, problems } = bucket.decode(document)
      if (value?.schemaType === undefined && value?.measurementSchemas === undefined) return { value, problems }
      const { schemaType, measurementSchemas, ...spec } = value
      const isImplicit = schemaType === 'implicit' && measurementSchemas === undefined
      return { value: spec, problems: isImplicit ? problems : [...problems, noSchemas(document, schemaType)] }
    },
  }
}

function noSchemas({ locate }: Document, schemaType: string | undefined): Problem {
  const field = schemaType === undefined ? 'measurementSchemas' : 'schemaType'
  return problemAt('warning', locate(`/spec/${field}`), {
    code: 'influxdb/no-schemas',
    message: `${field} has no effect: this InfluxDB has no explicit schemas, so the bucket takes any measurement`,
    hint: 'Remove schemaType and measurementSchemas.',
  })
}
