// An example of each component of openapi.json, by its name.
import { channelExamples } from './channel-examples.js'
import { fleetExamples } from './fleet-examples.js'
import { overviewExamples } from './overview-examples.js'
import { resourceExamples } from './resource-examples.js'
import { runExamples } from './run-examples.js'
import { stackExamples } from './stack-examples.js'

/** What a platform calls the resource and the target of the examples. */
export interface ExampleNames {
  readonly apiVersion: string
  readonly kind: string
  /** A target, as lists show it. */
  readonly target: { readonly platform: string; readonly [field: string]: unknown }
}

const written: Readonly<Record<string, unknown>> = {
  ...stackExamples,
  ...fleetExamples,
  ...runExamples,
  ...channelExamples,
  ...overviewExamples,
  ...resourceExamples,
}

/** The examples with the names of a platform. Without one they are of a `Volume` of `example/v1`. */
export function examplesWith(names: ExampleNames | undefined): Readonly<Record<string, unknown>> {
  if (names === undefined) return written
  const named = JSON.stringify(written).replaceAll('example/v1', names.apiVersion).replaceAll('Volume', names.kind)
  const target = JSON.stringify(resourceExamples.Target)
  const platform = `"platform":"${resourceExamples.Target.platform}"`
  const text = named
    .replaceAll(target, JSON.stringify(names.target))
    .replaceAll(platform, `"platform":"${names.target.platform}"`)
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}
