// Documents → the text of a package file, which `readPackage` reads back as the same documents.
import { isObject, type Json, type JsonObject } from '../model/json.js'
import { printable } from '../lib/text/printable.js'

/**
 * One YAML document for each, after the remarks as comments. Without documents: an empty list, which declares nothing.
 */
export function printYamlPackage(documents: readonly JsonObject[], remarks: readonly string[] = []): string {
  return [...yamlTexts(documents, remarks)].join('')
}

/** The same, text by text: at least one for each document. */
export function* yamlTexts(documents: readonly JsonObject[], remarks: readonly string[] = []): Generator<string> {
  for (const remark of remarks) yield `# ${printable(remark)}\n`
  if (documents.length === 0) yield '[]\n'
  for (const [at, document] of documents.entries()) {
    if (at > 0) yield '---\n'
    yield isEmpty(document) ? '{}\n' : mapLines(document, '').join('')
  }
}

/** A list of documents. `indent`: as `JSON.stringify` takes it. */
export function printJsonPackage(documents: readonly JsonObject[], indent: number | string): string {
  return [...jsonTexts(documents, indent)].join('')
}

/** The same, text by text: at least one for each document. */
export function* jsonTexts(documents: readonly JsonObject[], indent: number | string): Generator<string> {
  if (documents.length === 0) return yield '[]\n'
  const line = `\n${typeof indent === 'number' ? ' '.repeat(indent) : indent}`
  for (const [at, document] of documents.entries())
    yield `${at === 0 ? '[' : ','}${line}${JSON.stringify(document, undefined, indent).replaceAll('\n', line)}`
  yield '\n]\n'
}

function mapLines(map: JsonObject, indent: string): readonly string[] {
  return Object.entries(map).flatMap(([key, value]) => entryLines(`${indent}${printText(key)}:`, value, indent))
}

/** The dash replaces the indentation of the entry's first line. */
function listLines(list: readonly Json[], indent: string): readonly string[] {
  return list.flatMap((entry) => {
    if (!isObject(entry) || isEmpty(entry)) return entryLines(`${indent}-`, entry, indent)
    const [first = '', ...rest] = mapLines(entry, `${indent}  `)
    return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest]
  })
}

/** A value after a key or a dash: on the same line, or below it. */
function entryLines(head: string, value: Json, indent: string): readonly string[] {
  const inner = `${indent}  `
  if (Array.isArray(value))
    return value.length === 0 ? [`${head} []\n`] : [`${head}\n`, ...listLines(value as readonly Json[], inner)]
  if (isObject(value)) return isEmpty(value) ? [`${head} {}\n`] : [`${head}\n`, ...mapLines(value, inner)]
  if (typeof value === 'string' && isBlock(value)) return [`${head} ${printBlock(value, inner)}`]
  return [`${head} ${typeof value === 'string' ? printText(value) : JSON.stringify(value)}\n`]
}

function isEmpty(map: JsonObject): boolean {
  return Object.keys(map).length === 0
}

/** Texts that YAML 1.1 and 1.2 read as strings without quotes; they begin with a letter. */
const plain = /^[A-Za-z_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./()-]+)*$/
const words = /^(?:null|true|false|yes|no|on|off|y|n|inf|nan)$/i

/** On one line: without quotes if every parser reads the same text, else in double quotes. */
function printText(text: string): string {
  return plain.test(text) && !words.test(text) ? text : quotedText(text)
}

/** Characters that YAML does not count as printable, or that a terminal could interpret. */
const unprintable = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\u{e0000}-\u{e007f}]/gu

/** A JSON string is also a YAML string. */
function quotedText(text: string): string {
  return JSON.stringify(text).replace(unprintable, escaped)
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}

/**
 * True for several lines of printable characters, the first not empty: printed as a block, so queries stay readable.
 */
function isBlock(text: string): boolean {
  return /^[^\n]+\n/.test(text) && /\S/.test(text) && !/[^\P{C}\n\t]|[\u2028\u2029]/u.test(text)
}

/**
 * A literal block. Its header has the indentation if the text begins with a blank, and how to treat final line ends.
 */
function printBlock(text: string, indent: string): string {
  const indentation = /^[ \t]/.test(text) ? '2' : ''
  const body = text.replace(/\n+$/, '')
  const ends = text.length - body.length
  const mark = ends === 0 ? '-' : ends === 1 ? '' : '+'
  const lines = body.split('\n').map((line) => (line === '' ? '\n' : `${indent}${line}\n`))
  return `|${indentation}${mark}\n${lines.join('')}${'\n'.repeat(Math.max(0, ends - 1))}`
}
