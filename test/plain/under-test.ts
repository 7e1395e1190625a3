// The platform on which a suite runs. Suites take one, so that other platforms can run them, too.
import type { Documents } from '../../src/platform/documents.js'
import type { Kinds, Platform, PlatformDescription } from '../../src/platform/platform.js'
import { plainVersion } from './plain-kinds.js'
import { plainDescription, PlainPlatform, type Sealer } from './plain-platform.js'

export interface PlatformUnderTest {
  /** Of its documents. */
  readonly apiVersion: string
  readonly description: PlatformDescription
  readonly settings: Readonly<Record<string, string>>
  open(documents: Documents, secrets: { readonly sealer: Sealer }): Platform & Kinds
}

/** The space `main`, in which a store keeps the resources of a target. */
export const plain: PlatformUnderTest = {
  apiVersion: plainVersion,
  description: plainDescription,
  settings: { space: 'main' },
  open: (documents, secrets) => new PlainPlatform(documents, secrets),
}
