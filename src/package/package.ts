// package: files → documents.
// Takes the files of one revision; gives their documents, each with file and line.
// Promises: no I/O and no clock; a broken file does not hide problems of others; time and memory are bounded.
import { resolveText } from '../model/resources/env-ref.js'
import { asText } from '../model/scalar.js'
import { noValues, type Document, type EnvValues } from '../model/resources/document.js'
import { hasMoreValues, isObject, type JsonObject } from '../model/json.js'
import { problemAt, type Checked, type Finding, type Place, type Problem } from '../model/problem.js'
import { compareUtf8 } from '../lib/text/compare-text.js'
import { fileFormat, ignoreFile, isDeclaring, isIgnoreFile, isPackageFile, readIgnoreFile } from './package-files.js'
import {
  documentTooLarge,
  missingKind,
  notAMap,
  notAPackage,
  tooMuch,
  unreadableFile,
  type DocumentFinding,
} from './package-problems.js'
import { PackageText } from './package-text.js'
import { ParsedCache, type PackageEntry, type ParsedFile } from './parsed-cache.js'
import { ParseError } from './parse-error.js'

export { ParsedCache }

/** `path`: relative to the package, with slashes; `id`: of its contents, equal only for the same bytes. */
export interface PackageFile {
  readonly path: string
  readonly id: string
  readonly bytes: Uint8Array
}

export interface PackageLimits {
  /** Documents of a package. */
  readonly documents: number
  /** Bytes of all its files. */
  readonly bytes: number
  /** Depth of lists and maps. */
  readonly depth: number
  /** YAML aliases in one file, and the values that they expand to. */
  readonly aliases: number
  readonly aliasNodes: number
  /** Values of one file, and of all. In YAML the marks that may begin a value are counted. */
  readonly values: number
  readonly totalValues: number
  /** Values of one document with its aliases expanded. */
  readonly documentValues: number
}

/** `documents` and `bytes` are defaults of the configuration; the others have no setting. */
export const packageLimits: PackageLimits = {
  documents: 20_000,
  bytes: 64 * 1024 * 1024,
  depth: 64,
  aliases: 1_000,
  aliasNodes: 100_000,
  values: 500_000,
  totalValues: 2_000_000,
  documentValues: 25_000,
}

/** Size of a file from which it is parsed in a thread: the parser cannot pause. */
const largeBytes = 64 * 1024

export interface ReadOptions {
  readonly limits?: PackageLimits
  readonly cache?: ParsedCache
  /** Given values for envRefs and parameters. */
  readonly values?: EnvValues
  /** True for pushed packages: every entry must declare something, so no file is skipped. */
  readonly isPushed?: boolean
  /** The path of a file that places and messages name. Default: its path in the package. */
  readonly pathOf?: (path: string) => string
}

/**
 * The documents of a package: files by byte order of their paths, YAML (several documents, or lists of them) and JSON
 * (an array, or one object). `evaluateFiles` evaluates `.jsonnet` files before. A document without an apiVersion has
 * '': its kind is checked first, so both problems are reported in that order. Empty documents are skipped. So are, with
 * a warning, files none of whose documents has an apiVersion or a kind, unless they were pushed.
 */
export function readPackage(files: readonly PackageFile[], options: ReadOptions = {}): Checked<readonly Document[]> {
  const steps = packageSteps(files, options)
  for (let step = steps.next(); ; step = steps.next(step.value?.tryParse())) if (step.done === true) return step.value
}

/**
 * Work in steps. Some steps yield a large file to parse elsewhere: `next` then takes the result (`LargeFile`, or that
 * of `tryParse`).
 */
export type PackageSteps<T> = Generator<PackageText | undefined, T, ParsedFile | ParseError | undefined>

/** Reads in steps: one for each document. */
export function packageSteps(
  files: readonly PackageFile[],
  options: ReadOptions = {},
): PackageSteps<Checked<readonly Document[]>> {
  return new PackageReader(options).read(files)
}

class PackageReader {
  readonly #limits: PackageLimits
  readonly #cache: ParsedCache | undefined
  readonly #given: EnvValues
  readonly #isPushed: boolean
  readonly #pathOf: (path: string) => string
  readonly #documents: Document[] = []
  readonly #problems: Problem[] = []
  #index = 0
  #values = 0

  constructor({ limits = packageLimits, cache, values = noValues, isPushed = false, pathOf }: ReadOptions) {
    this.#limits = limits
    this.#cache = cache
    this.#given = values
    this.#isPushed = isPushed
    this.#pathOf = pathOf ?? ((path) => path)
  }

  *read(files: readonly PackageFile[]): PackageSteps<Checked<readonly Document[]>> {
    const { bytes: most } = this.#limits
    const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, 0)
    if (bytes > most)
      this.#problems.push(tooMuch(`The package has ${bytes} bytes; at most ${most} are allowed (limits.totalBytes).`))
    else for (const file of yield* this.#declaringFiles(files)) if (!(yield* this.#readFile(file))) break
    return { value: this.#documents, problems: this.#problems }
  }

  *#declaringFiles(files: readonly PackageFile[]): PackageSteps<readonly PackageFile[]> {
    const rules = files.filter(({ path }) => isIgnoreFile(path)).map((file) => this.#ignoreRules(file))
    const declaring: PackageFile[] = []
    for (const file of files) {
      const { path } = file
      if (isIgnoreFile(path) || !isPackageFile(path) || !isDeclaring(path)) continue
      yield
      if (!rules.some((ignores) => ignores(path))) declaring.push(file)
    }
    return declaring.sort((a, b) => compareUtf8(a.path, b.path))
  }

  #ignoreRules(file: PackageFile): (path: string) => boolean {
    const { ignores, findings } = readIgnoreFile(file.bytes)
    for (const { line, ...finding } of findings)
      this.#atFile('error', this.#place(this.#pathOf(file.path), line), finding)
    const folder = file.path.slice(0, -ignoreFile.length)
    return (path) => path.startsWith(folder) && ignores(path.slice(folder.length))
  }

  /** False: the limit of documents is reached, and reading stops. */
  *#readFile({ path, id, bytes }: PackageFile): PackageSteps<boolean> {
    const format = fileFormat(path)!
    const text = new PackageText(bytes, format, this.#limits)
    const shown = this.#pathOf(path)
    const { entries, values } = yield* this.#parse(shown, `${format}:${id}`, text)
    const { documents: most, totalValues } = this.#limits
    this.#values += values
    if (this.#values > totalValues) return this.#stop(`The package has more than ${totalValues} values.`)
    if (!this.#isPushed && entries.length > 0 && entries.every(({ value }) => !declaresSomething(value))) {
      this.#atFile('warning', this.#place(shown, 1), notAPackage(shown, ignoreFile))
      return true
    }
    for (const entry of entries) {
      yield
      if (this.#index >= most) return this.#stop(`The package has more than ${most} documents (limits.documents).`)
      this.#readEntry(shown, text, entry)
    }
    return true
  }

  #stop(message: string): false {
    this.#problems.push(tooMuch(message))
    return false
  }

  *#parse(path: string, key: string, text: PackageText): PackageSteps<ParsedFile> {
    const known = this.#cache?.get(key)
    if (known !== undefined) return known
    const { byteLength: bytes } = text.bytes
    const parsed = bytes > largeBytes ? (yield text)! : text.tryParse()
    if (parsed instanceof ParseError) {
      this.#unreadable(path, text, parsed)
      return { entries: [], values: 0 }
    }
    this.#cache?.set(key, parsed, bytes)
    return parsed
  }

  #unreadable(path: string, text: PackageText, error: ParseError): void {
    const position = text.position(error.offset)
    const first = error.first === undefined ? undefined : text.position(error.first).line
    this.#atFile('error', this.#place(path, position.line), unreadableFile(path, error, { ...position, first }))
  }

  #readEntry(file: string, text: PackageText, entry: PackageEntry): void {
    const index = this.#index++
    const locate = (pointer: string): Place => placeIn(file, index, pointer, () => text.lineOf(entry, pointer))
    const finding = entryProblem(entry, index, this.#limits.documentValues)
    if (finding !== undefined) this.#problems.push(problemAt('error', locate(finding.pointer), finding))
    else
      this.#documents.push(
        toDocument(entry.value as JsonObject, this.#given, { file, index, pointer: '', line: entry.line }, locate),
      )
  }

  #place(file: string, line: number): Place {
    return { file, index: this.#index, pointer: '', line }
  }

  /** A problem of a whole file has no field. */
  #atFile(severity: Problem['severity'], place: Place, finding: Finding): void {
    this.#problems.push({ severity, ...finding, place })
  }
}

function toDocument(body: JsonObject, values: EnvValues, place: Place, locate: Document['locate']): Document {
  const metadata = body['metadata']
  const name = isObject(metadata) ? (resolveText(metadata['name'], values) ?? '') : ''
  return {
    apiVersion: asText(body['apiVersion']) ?? '',
    kind: asText(body['kind'])!,
    name,
    body,
    values,
    place,
    locate,
  }
}

/** The line is computed on demand: most places never need it. */
function placeIn(file: string, index: number, pointer: string, findLine: () => number): Place {
  let line: number | undefined
  return {
    file,
    index,
    pointer,
    get line() {
      line ??= findLine()
      return line
    },
  }
}

function declaresSomething(value: unknown): boolean {
  return isObject(value) && ('apiVersion' in value || 'kind' in value)
}

/** Why an entry of a file cannot be a document; undefined: it can. `most`: values of a document. */
function entryProblem({ value, lines }: PackageEntry, index: number, most: number): DocumentFinding | undefined {
  const isLarge = lines === undefined ? hasMoreValues(value, most) : lines.lines.length > most
  if (isLarge) return documentTooLarge(index, most)
  if (!isObject(value)) return notAMap(index)
  return asText(value['kind']) ? undefined : missingKind(index)
}
