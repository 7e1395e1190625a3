// kinds/influxdb: what the documents of an InfluxDB package mean. Takes documents; gives specs, and what a target shall hold. Pure.
// Promises: all errors of a document at once, each at its own field (packages 1.1–1.8, 1.12); decoding, encoding and normalising never throw.
import type { Kind } from '../../model/kind.js'
import { noEnv, type EnvValues } from '../env-ref.js'
import { bucketKind } from './bucket.js'
import { dashboardKind } from './dashboard.js'
import { labelMappingKind } from './label-mapping.js'
import { labelKind } from './label.js'
import { taskKind } from './task.js'

export { explainInfluxdbKind } from './known-kinds.js'

/** The kinds with values for envRefs. */
export function influxdbKindsWith(env: EnvValues): readonly Kind[] {
  return [labelKind(env), bucketKind(env), dashboardKind(env), taskKind(env), labelMappingKind()]
}

/** The kinds where every envRef has its default or placeholder. */
export const influxdbKinds: readonly Kind[] = influxdbKindsWith(noEnv)

const byName = new Map(influxdbKinds.map((kind) => [kind.kind, kind]))

/** The kind of a document; undefined: not known, 'version': not of this apiVersion. `explainInfluxdbKind` says more. */
export function influxdbKind(kind: string, apiVersion: string): Kind | undefined | 'version' {
  const named = byName.get(kind)
  return named === undefined || named.apiVersions.includes(apiVersion) ? named : 'version'
}
