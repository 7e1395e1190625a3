// The contract of a kind, on every kind of InfluxDB that an author may declare.
import { everyKind } from '../../e2e/every-kind.js'
import { describeKind } from '../../platform/describe-kind.js'
import { influxdbKinds } from '../../../src/influxdb/kinds/kinds.js'

for (const kind of influxdbKinds) {
  const valid = everyKind().filter((one) => one.kind === kind.kind)
  if (valid.length === 0) continue
  describeKind(kind, {
    valid: valid.map((one) => JSON.stringify(one)),
    invalid: [[JSON.stringify({ ...valid[0], metadata: {} }), '/metadata/name']],
  })
}
