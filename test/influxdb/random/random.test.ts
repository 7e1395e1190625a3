import { describeSequences } from '../../random/describe-sequences.js'
import { embeddedUnderTest } from '../under-test.js'

/** `npm run soak:influxdb` tries many. */
describeSequences({ memory: [1], git: [1000] }, embeddedUnderTest)
