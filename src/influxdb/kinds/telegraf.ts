import { parse, TomlError } from 'smol-toml'
import type { Document } from '../../model/resources/document.js'
import type { JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/resources/kind.js'
import { readAssociations, type Labelled } from './label/associations.js'
import { apiVersions, decodeDocument, readDisplayName, cachedDecode, type Referring } from './envelope.js'
import type { Fields } from './fields/fields.js'
import { stateName, exportedFields } from './state.js'
import { labelMappings } from './label/label-mapping.js'
import { wireIds, type Wire, type WireContext } from './wire.js'

export interface TelegrafSpec extends Labelled, Referring {
  readonly name: string
  readonly description: string
  /** TOML, as written. */
  readonly config: string
}

/**
 * State: `{name, description, config}`. A target may have several with one name, so gitmoor never finds one by its
 * name.
 */
export function telegrafKind(): Kind<TelegrafSpec> {
  return {
    kind: 'Telegraf',
    apiVersions,
    family: 'Telegraf',
    decode: cachedDecode((document) =>
      decodeDocument(document, (spec) => readTelegraf(spec, document), readAssociations),
    ),
    references: () => [],
    parts: { documents: ({ associations }, document) => labelMappings('Telegraf', associations, document) },
    encode: ({ name, description, config }) => ({ name, description, config }),
    normalise: (state) => state,
    displayName: stateName,
    authored: { declare: ({ name, description, config }) => exportedFields({ name, description, config }) },
    inputs: { envReferences: ({ envReferences }) => envReferences },
  }
}

/** The InfluxDB API's form of a Telegraf configuration: the state itself. */
export const telegrafWire: Wire = {
  diff: telegrafDocument,
  summary: (state, context) => ({ telegrafConfig: telegrafDocument(state, context) }),
}

function telegrafDocument({ name, description, config }: JsonObject, context: WireContext): JsonObject {
  return { ...wireIds(context), name: name ?? '', description: description ?? '', config: config ?? '' }
}

function readTelegraf(spec: Fields, document: Document): Omit<TelegrafSpec, 'associations' | 'envReferences'> {
  const name = readDisplayName(spec, document, 1)
  const config = spec.text('config') ?? ''
  if (config === '')
    spec.error('config', 'required', 'there is no config', 'Write the TOML text of the agent into spec.config.')
  else warnUnreadable(spec, config)
  return { name, description: spec.text('description') ?? '', config }
}

/** Characters of a config without its comments. Longer ones are not checked, because that would block the agent. */
const mostChecked = 64 * 1024

/** Warns of a config that InfluxDB cannot read back because it is not TOML. The text is stored as it is. */
function warnUnreadable(spec: Fields, config: string): void {
  const checked =
    config.length - (config.match(/^[\t ]*(?:#.*)?\n/gm) ?? []).reduce((sum, line) => sum + line.length, 0)
  if (checked > mostChecked) {
    const message = `the config is not checked: without comments it has more than ${mostChecked} characters`
    return spec.warning('config', 'toml-not-checked', message, 'Check it with `telegraf --test`.')
  }
  try {
    parse(config)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const what = error.message.split('\n', 1)[0]!.replace(/^Invalid TOML document: /, '')
    spec.warning(
      'config',
      'invalid-toml',
      `line ${error.line} of the config is not valid TOML: ${what}`,
      'Telegraf cannot read it.',
    )
  }
}
