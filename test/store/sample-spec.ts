import type { StackSpec } from '../../src/model/stacks/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'

/** Settings of a run, where a test is about something else. */
export const sampleSpec: StackSpec = { name: 'boards', ...stackDefaults, sources: [] }
