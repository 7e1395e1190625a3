// A target that keeps stacks of its own, beside those of gitmoor.
import type { Connection, ForeignStack } from '../../../src/platform/platform.js'
import type { JsonObject } from '../../../src/model/json.js'
import { PlainPlatform } from '../../plain/plain-platform.js'
import { plain, type PlatformUnderTest } from '../../plain/under-test.js'

class KeepingStacks extends PlainPlatform {
  readonly #stacks: readonly ForeignStack[]

  constructor(stacks: readonly ForeignStack[], ...given: ConstructorParameters<typeof PlainPlatform>) {
    super(...given)
    this.#stacks = stacks
  }

  override async connect(target: { readonly settings: JsonObject }): Promise<Connection> {
    const connection = await super.connect(target)
    const foreignStacks: Connection['foreignStacks'] = async ({ id }) =>
      this.#stacks.filter((one) => id === undefined || one.id === id)
    return { ...connection, foreignStacks }
  }
}

/** `stacks`: a test may add some. */
export function keepingStacks(stacks: readonly ForeignStack[]): PlatformUnderTest {
  return { ...plain, open: (documents, secrets) => new KeepingStacks(stacks, documents, secrets) }
}
