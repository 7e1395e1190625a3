import { Argument, type Command } from 'commander'
import { exitCode } from '../exit-code.js'
import type { Declare, Invocation } from '../invocation.js'

const schemas: Readonly<Record<string, (platforms: Invocation['platforms']) => Promise<object>>> = {
  config: async (platforms) => (await import('../../config/config.js')).configurationSchema(await platforms()),
  stack: async () => (await import('../../settings/documents/stack-document.js')).stackSchema(),
  fleet: async () => (await import('../../settings/documents/fleet-document.js')).fleetSchema(),
  package: async (platforms) => anyOf((await platforms()).map((platform) => platform.packageSchema())),
}

/** schema: JSON Schemas for editors. */
export function addSchemaVerb(program: Command, declare: Declare): void {
  const schema = {
    usage: 'schema WHAT',
    arguments: [new Argument('<WHAT>').choices(Object.keys(schemas))],
    summary: 'print the JSON Schema of a configuration file, a stack or fleet document, or a package file',
    example: 'schema config',
    notes:
      'WHAT: config, stack, fleet or package.\n' +
      'Editors with yaml-language-server use it through the first line of a file, for example: ' +
      '# yaml-language-server: $schema=./config.schema.json',
  }
  declare(program, schema, async (cli, [what = '']) => {
    cli.out.answerJson(await schemas[what]!(cli.platforms))
    return exitCode.ok
  })
}

/** Platforms with the same kinds share a schema. */
function anyOf(schemas: readonly object[]): object {
  const all = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  const [first, ...more] = all
  return first !== undefined && more.length === 0 ? first : { anyOf: all }
}
