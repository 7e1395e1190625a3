// `npm run page:pictures`: pictures of every view, 1280 and 375 px wide, light and dark, from an agent with a demo
// fleet, into .reports/page. Words of the command line choose views: npm run page:pictures -- overview stack
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { chromiumArguments, chromiumPath } from './page/chromium.mjs'
import { openDemoFleet } from './page/demo-fleet.mjs'

const directory = '.reports/page'
const fleet = await openDemoFleet()
const { items: channels } = await fleet.ask('ana', 'GET', 'channels')
const nameOf = (ref) => encodeURIComponent(channels.find((channel) => channel.ref === ref).name)
const idOf = async (stack, at) =>
  (await fleet.ask('ana', 'GET', `stacks/${stack}/runs?limit=20`)).items
    .filter(({ revision }) => revision !== '')
    .at(at).id
const views = {
  overview: '/',
  stacks: '/stacks',
  grouped: '/stacks?group=target',
  'new-stack': '/new-stack?name=reports&from=https%3A%2F%2Fgit.example%2Fteam%2Freports&ref=stable&target=staging',
  stack: '/stacks/checkout-staging',
  failed: '/stacks/search-staging',
  drifted: '/stacks/machines-edge-01',
  drift: '/stacks/machines-edge-01/drift',
  plan: '/stacks/checkout-staging/plan',
  run: `/stacks/checkout-prod-us/runs/${await idOf('checkout-prod-us', 0)}`,
  compare: `/stacks/checkout-prod-us/compare?a=${await idOf('checkout-prod-us', -1)}&b=${await idOf('checkout-prod-us', 0)}`,
  resource: '/stacks/checkout-staging/resources/Dashboard/checkout',
  channels: `/channels?channel=${nameOf('stable')}`,
  promote: `/channels/promote?from=${nameOf('beta')}&to=${nameOf('stable')}`,
  history: '/history',
  targets: '/targets',
  target: '/targets/staging',
  webhooks: '/webhooks',
  doctor: '/doctor',
  settings: '/settings',
}
/** They have the rows in the window only. */
const lists = new Set(['stacks', 'grouped', 'history'])
const chosen = process.argv.slice(2)
const executablePath = chromiumPath()
if (executablePath === undefined) throw new Error('Pictures need Chromium: apt-get install chromium')
mkdirSync(directory, { recursive: true })
const profile = mkdtempSync(join(tmpdir(), 'gitmoor-chromium-'))
const context = await chromium.launchPersistentContext(profile, {
  executablePath,
  args: chromiumArguments,
  deviceScaleFactor: 1,
})
await context.request.post(`${fleet.url}/api/v1/session`, { data: { token: fleet.token, name: 'ana' } })
for (const [name, path] of Object.entries(views)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  for (const width of [1280, 375])
    for (const scheme of ['light', 'dark']) {
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && console.error(name, message.text()))
      page.on('pageerror', (error) => console.error(name, error.message))
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: width === 1280 ? 900 : 812 })
      await page.goto(fleet.url + path)
      await page.waitForSelector('main h1')
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
      await page.screenshot({
        path: join(directory, `${name}-${width}-${scheme}.png`),
        fullPage: width === 1280 && !lists.has(name),
      })
      await page.close()
    }
}
await context.close()
await fleet.close()
process.exit(0)
