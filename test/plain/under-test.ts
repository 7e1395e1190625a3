// The platform on which a suite runs. Suites take one, so that other platforms can run them, too.
import type { JsonObject } from '../../src/model/json.js'
import type { Documents } from '../../src/platform/documents.js'
import type { Kinds, Platform, PlatformDescription } from '../../src/platform/platform.js'
import { plainVersion } from './plain-kinds.js'
import { plainDescription, PlainPlatform, type Sealer } from './plain-platform.js'

export interface TargetResource {
  readonly family: string
  readonly id: string
  readonly state: JsonObject
}

export interface PlatformUnderTest {
  /** Of its documents. */
  readonly apiVersion: string
  readonly description: PlatformDescription
  /** Of a target with a space of its own in the database: `main`, `other`. */
  settings(space: string): JsonObject
  /** Of processes that run on it. Default: none beside that of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** What the target `main` has. Absent: what the database has in its space. */
  resources?(documents: Documents): Promise<readonly TargetResource[]>
  /** What is in an incomplete creation of a state. Default: its name. */
  readonly half?: (state: JsonObject) => JsonObject
  /** A resource in JSON without what an unfinished creation leaves in it. Default: unchanged. */
  readonly finished?: (text: string) => string
  open(documents: Documents, secrets: { readonly sealer: Sealer }): Platform & Kinds
}

export const plain: PlatformUnderTest = {
  apiVersion: plainVersion,
  description: plainDescription,
  settings: (space) => ({ space }),
  open: (documents, secrets) => new PlainPlatform(documents, secrets),
}
