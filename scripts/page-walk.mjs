// `npm run page:walk`: from a failing stack of the demo fleet to its cause and its fix, by a script that reads only
// what is visible and presses keys. Prints what was visible at each step; with pictures in .reports/page-walk.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { chromiumArguments, chromiumPath } from './page/chromium.mjs'
import { openDemoFleet } from './page/demo-fleet.mjs'
import { walkToFix } from './page/walk.mjs'

const directory = '.reports/page-walk'
const executablePath = chromiumPath()
if (executablePath === undefined) throw new Error('The walk needs Chromium: apt-get install chromium')
const fleet = await openDemoFleet()
const profile = mkdtempSync(join(tmpdir(), 'gitmoor-chromium-'))
const context = await chromium.launchPersistentContext(profile, { executablePath, args: chromiumArguments })
try {
  await context.request.post(`${fleet.url}/api/v1/session`, { data: { token: fleet.token, name: 'ana' } })
  const page = await context.newPage()
  await page.goto(fleet.url)
  const { cause, seconds } = await walkToFix(page, { stack: 'search-staging', directory })
  console.log(readFileSync(join(directory, 'walk.txt'), 'utf8'))
  console.log(`Cause: ${cause}\n${seconds.toFixed(1)} s; pictures in ${directory}`)
} finally {
  await context.close()
  rmSync(profile, { recursive: true, force: true })
  await fleet.close()
}
process.exit(0)
