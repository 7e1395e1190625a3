// `npm run soak:influxdb [-- --seed N --sequences N …]`, see run-soak.ts.
import { soak } from '../../random/run-soak.js'
import { embeddedUnderTest } from '../under-test.js'

process.exitCode = await soak(embeddedUnderTest)
