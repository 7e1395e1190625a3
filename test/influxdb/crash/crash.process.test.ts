import { describeCrashes } from '../../crash/describe-crashes.js'
import { embeddedUnderTest } from '../under-test.js'

/** `npm run crash -- --influxdb` tries all. */
const names = ['an undo'] as const

describeCrashes({ on: embeddedUnderTest, input: 'test/influxdb/crash/child.ts', names })
