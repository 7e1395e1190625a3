// Package documents as a person writes them, one function for each kind.
import { plainVersion } from '../plain/plain-kinds.js'

interface Common {
  readonly name?: string
  readonly labels?: readonly string[]
}

interface BucketFields {
  readonly every?: number
  readonly description?: string
}

/** The functions for documents of one apiVersion. */
export function packagesOf(apiVersion: string) {
  function label(
    metaName: string,
    { name = metaName, color = '#112233' }: Common & { readonly color?: string } = {},
  ): string {
    return document(apiVersion, 'Label', metaName, [`name: ${JSON.stringify(name)}`, `color: '${color}'`])
  }

  /** `every`: retention in seconds. */
  function bucket(
    metaName: string,
    { name = metaName, labels, every, description }: Common & BucketFields = {},
  ): string {
    const retention = every === undefined ? [] : ['retentionRules:', '  - type: expire', `    everySeconds: ${every}`]
    const described = description === undefined ? [] : [`description: ${JSON.stringify(description)}`]
    return document(apiVersion, 'Bucket', metaName, [
      `name: ${JSON.stringify(name)}`,
      ...described,
      ...retention,
      ...associations(labels),
    ])
  }

  function dashboard(metaName: string, { name = metaName, labels }: Common = {}): string {
    return document(apiVersion, 'Dashboard', metaName, [`name: ${JSON.stringify(name)}`, ...associations(labels)])
  }

  function task(metaName: string, { name = metaName, labels }: Common = {}): string {
    const query = `query: 'from(bucket: "raw") |> range(start: -1h)'`
    return document(apiVersion, 'Task', metaName, [
      `name: ${JSON.stringify(name)}`,
      'every: 1h',
      query,
      ...associations(labels),
    ])
  }

  return { label, bucket, dashboard, task }
}

export const { label, bucket, dashboard, task } = packagesOf(plainVersion)

/** Several documents as one file. */
export function yaml(...documents: readonly string[]): string {
  return documents.join('---\n')
}

function document(apiVersion: string, kind: string, metaName: string, spec: readonly string[]): string {
  const head = [`apiVersion: ${apiVersion}`, `kind: ${kind}`, 'metadata:', `  name: ${metaName}`, 'spec:']
  return [...head, ...spec.map((line) => `  ${line}`), ''].join('\n')
}

function associations(labels: readonly string[] = []): readonly string[] {
  return labels.length === 0
    ? []
    : ['associations:', ...labels.flatMap((name) => ['  - kind: Label', `    name: ${name}`])]
}
