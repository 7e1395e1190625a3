// Package documents as a person writes them, one function for each kind.

interface Common {
  readonly name?: string
  readonly labels?: readonly string[]
}

export function label(
  metaName: string,
  { name = metaName, color = '#112233' }: Common & { readonly color?: string } = {},
): string {
  return document('Label', metaName, [`name: ${JSON.stringify(name)}`, `color: '${color}'`])
}

/** `every`: retention in seconds. */
export function bucket(
  metaName: string,
  { name = metaName, labels, every, description }: Common & BucketFields = {},
): string {
  const retention = every === undefined ? [] : ['retentionRules:', '  - type: expire', `    everySeconds: ${every}`]
  const described = description === undefined ? [] : [`description: ${JSON.stringify(description)}`]
  return document('Bucket', metaName, [
    `name: ${JSON.stringify(name)}`,
    ...described,
    ...retention,
    ...associations(labels),
  ])
}

interface BucketFields {
  readonly every?: number
  readonly description?: string
}

export function dashboard(metaName: string, { name = metaName, labels }: Common = {}): string {
  return document('Dashboard', metaName, [`name: ${JSON.stringify(name)}`, ...associations(labels)])
}

export function task(metaName: string, { name = metaName, labels }: Common = {}): string {
  const query = `query: 'from(bucket: "raw") |> range(start: -1h)'`
  return document('Task', metaName, [`name: ${JSON.stringify(name)}`, 'every: 1h', query, ...associations(labels)])
}

/** Several documents as one file. */
export function yaml(...documents: readonly string[]): string {
  return documents.join('---\n')
}

function document(kind: string, metaName: string, spec: readonly string[]): string {
  const head = ['apiVersion: influxdata.com/v2alpha1', `kind: ${kind}`, 'metadata:', `  name: ${metaName}`, 'spec:']
  return [...head, ...spec.map((line) => `  ${line}`), ''].join('\n')
}

function associations(labels: readonly string[] = []): readonly string[] {
  return labels.length === 0
    ? []
    : ['associations:', ...labels.flatMap((name) => ['  - kind: Label', `    name: ${name}`])]
}
