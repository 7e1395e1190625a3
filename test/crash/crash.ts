// `npm run crash`
import { plain } from '../plain/under-test.js'
import { runAll } from './run-all.js'

process.exitCode = (await runAll(process.argv.slice(2), plain)) > 0 ? 1 : 0
