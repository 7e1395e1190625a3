// An example of each component of openapi.json, by its name.
import { channelExamples } from './channel-examples.js'
import { fleetExamples } from './fleet-examples.js'
import { resourceExamples } from './resource-examples.js'
import { runExamples } from './run-examples.js'
import { stackExamples } from './stack-examples.js'

export const examples: Readonly<Record<string, unknown>> = {
  ...stackExamples,
  ...fleetExamples,
  ...runExamples,
  ...channelExamples,
  ...resourceExamples,
}
