// `npm run soak [-- --seed N --sequences N …]`, see run-soak.ts.
import { plain } from '../plain/under-test.js'
import { soak } from './run-soak.js'

process.exitCode = await soak(plain)
