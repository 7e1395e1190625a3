// Reads the body of a dry run or an apply. An unreadable body is 400; unknown properties are ignored.
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { Skip } from '../../model/resources/inputs.js'
import { redactText } from '../../secrets/redact/redact.js'
import type { GivenPackage, PackageUrl } from '../../stacks/inputs/gather-package.js'
import type { TemplateRequest } from '../templates/templates.js'
import { isYaml } from './wire-body.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'
import { readKind } from './wire-kind.js'

/**
 * `contentType`: of the request. JSON does not say the encoding of the texts in it, so they are inspected. Errors:
 * `WireRefusal`.
 */
export function readTemplateRequest(
  body: unknown,
  contentType: string | undefined,
): TemplateRequest & { readonly dryRun: boolean } {
  if (!isObject(body)) throw invalid('The body', 'a map')
  const { stackID = null, template = null } = body
  const inYaml = isYaml(contentType)
  const templates = listField(body, 'templates').map((one, at) => readPackage(one, `templates[${at}]`, inYaml))
  const packages = [...templates, ...oneTemplate(template, inYaml)]
  return {
    dryRun: flagField(body, 'dryRun', false),
    orgID: readId(body['orgID'], 'organization id'),
    ...(stackID === null ? {} : { stackID: readId(stackID, 'stack id') }),
    remotes: listField(body, 'remotes')
      .map(readRemote)
      .filter(({ url }) => url !== ''),
    packages,
    ...(contentType !== undefined && inYaml ? { contentType } : {}),
    values: readValues(body),
    secrets: readSecrets(body),
    skips: listField(body, 'actions').map(readSkip),
    ...(body['allowDataLoss'] == null ? {} : { allowDataLoss: flagField(body, 'allowDataLoss', true) }),
    allowEmpty: flagField(body, 'allowEmpty', false),
    ...(flagField(body, 'overrideWindow', false) ? { overrideWindow: textField(body, 'why', 'body') ?? '' } : {}),
  }
}

/** A template without contents is ignored. */
function oneTemplate(template: Json, inYaml: boolean): readonly GivenPackage[] {
  const isNone = template === null || (isObject(template) && (template['contents'] ?? null) === null)
  return isNone ? [] : [readPackage(template, 'template', inYaml)]
}

/** Contents are objects, one object, or text; YAML bodies may give text as a list of bytes, as InfluxDB expects it. */
function readPackage(value: Json, where: string, inYaml: boolean): GivenPackage {
  if (!isObject(value)) throw invalid(where, 'a map with contents')
  const { contents = null } = value
  const contentType = textField(value, 'contentType', where)
  const sources = listField(value, 'sources').map((source, at) =>
    redactText(checkText(source, `${where}.sources[${at}]`)),
  )
  if (typeof contents === 'string') return { sources, ...contentTypeField(contentType), text: contents }
  const bytes = inYaml ? byteText(contents) : undefined
  if (bytes !== undefined) return { sources, ...contentTypeField(contentType), text: bytes }
  if (contents !== null && !Array.isArray(contents) && !isObject(contents))
    throw invalid(`${where}.contents`, 'a list of objects, one object, or the text of a package')
  const jsonnet = /jsonnet/i.test(contentType ?? '')
  return { sources, contentType: jsonnet ? 'jsonnet' : 'json', text: JSON.stringify(contents ?? []) }
}

function contentTypeField(contentType: string | undefined): { readonly contentType?: string } {
  return contentType === undefined || contentType === '' ? {} : { contentType }
}

/** The text of a list of byte values; undefined for any other value. */
function byteText(contents: Json): string | undefined {
  if (!Array.isArray(contents) || contents.length === 0) return undefined
  const isByte = (one: Json): one is number => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 255
  return contents.every(isByte)
    ? new TextDecoder('utf-8').decode(Uint8Array.from(contents as readonly number[]))
    : undefined
}

/** A remote with `url` '' if it has none; such remotes are ignored. */
function readRemote(value: Json, at: number): PackageUrl {
  const where = `remotes[${at}]`
  if (!isObject(value)) throw invalid(where, 'a map with a url')
  return { url: textField(value, 'url', where) ?? '', ...contentTypeField(textField(value, 'contentType', where)) }
}

/** `skipKind` and `skipResource`. */
function readSkip(value: Json, at: number): Skip {
  const where = `actions[${at}]`
  const properties = isObject(value) ? value['properties'] : undefined
  if (!isObject(value) || !isObject(properties)) throw invalid(where, 'a map with action and properties')
  const { action = null } = value
  if (action !== 'skipKind' && action !== 'skipResource')
    throw invalid(`${where}.action`, `skipKind or skipResource, and not ${JSON.stringify(action).slice(0, 100)}`)
  const family = readKind(properties['kind'], `${where}.properties.kind`, 'invalid')
  if (action === 'skipKind') return { family }
  const metaName = textField(properties, 'resourceTemplateName', `${where}.properties`) ?? ''
  if (metaName === '') throw invalid(`${where}.properties.resourceTemplateName`, 'a metadata.name')
  return { family, metaName }
}

function readValues(body: JsonObject): TemplateRequest['values'] {
  const entries = Object.entries(mapField(body, 'envRefs')).filter(([, value]) => value !== null)
  for (const [key, value] of entries)
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw invalid(`envRefs[${JSON.stringify(key)}]`, 'a text, a number or true or false')
  return Object.fromEntries(entries) as TemplateRequest['values']
}

function readSecrets(body: JsonObject): TemplateRequest['secrets'] {
  const entries = Object.entries(mapField(body, 'secrets'))
  return Object.fromEntries(entries.map(([key, value]) => [key, checkText(value, `secrets[${JSON.stringify(key)}]`)]))
}

function mapField(body: JsonObject, key: string): JsonObject {
  const value = body[key] ?? {}
  if (!isObject(value)) throw invalid(key, 'a map')
  return value
}

function listField(body: JsonObject, key: string): readonly Json[] {
  const value = body[key] ?? []
  if (!Array.isArray(value)) throw invalid(key, 'a list')
  return value
}

function flagField(body: JsonObject, key: string, fallback: boolean): boolean {
  const value = body[key] ?? fallback
  if (typeof value !== 'boolean') throw invalid(key, 'true or false')
  return value
}

function textField(map: JsonObject, key: string, where: string): string | undefined {
  const value = map[key] ?? null
  return value === null ? undefined : checkText(value, `${where}.${key}`)
}

function checkText(value: Json, where: string): string {
  if (typeof value === 'string') return value
  throw invalid(where, 'a text')
}

function invalid(where: string, what: string): WireRefusal {
  return new WireRefusal('invalid', `${where} must be ${what}.`)
}
