import { createRequire } from 'node:module'
import { describe } from 'vitest'

/** False where the optional package is not installed, or was not built. */
export const hasJsonnet = ((): boolean => {
  try {
    createRequire(import.meta.url)('@hanazuki/node-jsonnet')
    return true
  } catch {
    return false
  }
})()

/** Skipped visibly where nothing evaluates Jsonnet. */
export const describeWithJsonnet = describe.skipIf(!hasJsonnet)
