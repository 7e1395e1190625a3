// One Chromium for all files with tests of the page: a start takes a second of processor time.
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { chromiumArguments, chromiumPath } from '../../scripts/page/chromium.mjs'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where to connect to it; undefined: this machine has none. */
    chromium: string | undefined
  }
}

export default async function startChromium(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = chromiumPath()
  if (executablePath === undefined) return async () => {}
  const server = await chromium.launchServer({ executablePath, args: [...chromiumArguments], host: '127.0.0.1' })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
