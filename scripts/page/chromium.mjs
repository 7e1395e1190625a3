// The Chromium of this machine, for pictures and tests of the page.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first one has no window: it takes half the processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** CHROMIUM, else the first one in PATH; undefined: there is none. */
export function chromiumPath() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [process.env.CHROMIUM ?? '', ...found].find((path) => path !== '' && isExecutable(path))
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** It contacts nothing by itself. Root needs `--no-sandbox`. */
export const chromiumArguments = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
