import { createRequire } from 'node:module'
import { describe } from 'vitest'
import { evaluatorPackage } from '../../src/sandbox/jsonnet/find-evaluator.js'

/** False where nobody ran `npm run jsonnet`. `npm test` says so at its end. */
export const hasJsonnet = ((): boolean => {
  try {
    createRequire(import.meta.url)(evaluatorPackage.name)
    return true
  } catch {
    return false
  }
})()

/** Skipped visibly where nothing evaluates Jsonnet. */
export const describeWithJsonnet = describe.skipIf(!hasJsonnet)
