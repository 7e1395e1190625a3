import { packagesOf } from '../e2e/packages.js'
import { embeddedUnderTest } from './under-test.js'

export { yaml } from '../e2e/packages.js'
export const { label, bucket, dashboard, task } = packagesOf(embeddedUnderTest.apiVersion)
