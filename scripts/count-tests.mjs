// Prints `N passed, N failed` from the JSON report of vitest. Ends with 1 where something failed, no test ran or there
// is no report. node scripts/count-tests.mjs REPORT
import { readFileSync } from 'node:fs'

/** A file that could not be loaded has no test in it, and counts as one that failed. */
function countTests(report) {
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
  )
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length }
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    console.error(`No test report at ${path}: the run ended before the tests did.`)
    return { testResults: [], numPassedTests: 0, numFailedTests: 0 }
  }
}

const { passed, failed } = countTests(readReport(process.argv[2] ?? '.reports/vitest.json'))
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = passed > 0 && failed === 0 ? 0 : 1
