// `npm run crash`
import { plain } from '../plain/under-test.js'
import { copies } from './ground.js'
import { runAll } from './run-all.js'

process.exitCode = (await runAll(process.argv.slice(2), (matrix) => copies(matrix, plain))) > 0 ? 1 : 0
