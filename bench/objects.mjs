// Packages of many objects, as an export of a whole organisation gives them.

const apiVersion = 'influxdata.com/v2alpha1'
/** Of variables InfluxDB takes no more: with 100 in an organisation each of its answers loops for ever (2.9). */
const mostVariables = 90

/**
 * So many objects: a tenth labels, up to 90 variables, a fifth dashboards of three charts, the rest buckets with a
 * label each.
 */
export function objectsOf(size) {
  const labels = size / 10
  const dashboards = size / 5
  const variables = Math.min(mostVariables, size / 10)
  const buckets = size - labels - dashboards - variables
  return [
    ...times(labels, (at) =>
      object('Label', `label-${at}`, { name: `Label ${at}`, color: '#326ce5', description: `Team ${at}` }),
    ),
    ...times(buckets, (at) =>
      object('Bucket', `bucket-${at}`, { ...bucketSpec(at), associations: [labelled(at % labels)] }),
    ),
    ...times(variables, (at) => object('Variable', `variable-${at}`, variableSpec(at))),
    ...times(dashboards, (at) =>
      object('Dashboard', `dashboard-${at}`, { ...dashboardSpec(at), associations: [labelled(at % labels)] }),
    ),
  ]
}

function times(count, make) {
  return Array.from({ length: count }, (_, at) => make(at))
}

function object(kind, name, spec) {
  return { apiVersion, kind, metadata: { name }, spec }
}

function labelled(at) {
  return { kind: 'Label', name: `label-${at}` }
}

function bucketSpec(at) {
  return {
    name: `bucket ${at}`,
    description: `Measurements of ${at}`,
    retentionRules: [{ type: 'expire', everySeconds: 604_800 }],
  }
}

function variableSpec(at) {
  return { name: `variable_${at}`, type: 'constant', values: ['one', 'two', `three ${at}`] }
}

function dashboardSpec(at) {
  return { name: `Dashboard ${at}`, description: `Looks at ${at}`, charts: times(3, (place) => chart(at, place)) }
}

function chart(at, place) {
  return {
    kind: 'Xy',
    name: `Chart ${place}`,
    xPos: place * 4,
    yPos: 0,
    width: 4,
    height: 3,
    geom: 'line',
    queries: [
      {
        query:
          `from(bucket: "bucket ${at}") |> range(start: v.timeRangeStart) ` +
          `|> filter(fn: (r) => r._field == "field${place}")`,
      },
    ],
    colors: [{ id: 'base', name: 'Nineteen Eighty Four', type: 'scale', hex: '#31C0F6', value: 0 }],
    axes: [
      { name: 'x', base: '10', scale: 'linear' },
      { name: 'y', base: '10', scale: 'linear', label: 'value' },
    ],
  }
}
