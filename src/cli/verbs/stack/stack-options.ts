// The source and the settings of a stack as options, and as documents of the API.
import { Option } from 'commander'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { resolveAddress } from '../../../settings/source-address.js'
import type { StackDocument, StackPatchDocument } from '../../../settings/documents/stack-document.js'
import { CliError } from '../../errors/cli-error.js'
import { fileErrors } from '../../errors/file-errors.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { readInput, type InputPlaces } from '../../files/input-file.js'
import type { Checked } from '../../../model/problem.js'
import type { LabelChange } from '../../../model/stacks/stack.js'
import { ignoreOption, type IgnoreOption } from './ignore-option.js'
import { inputOptionList, inputsAmong, type InputOptions } from './input-options.js'
import { labelOption, withLabels } from './label-option.js'
import { withOptionNames } from './option-names.js'
import { settingOptions, settingsAmong, type SettingOptions } from './setting-options.js'

export interface StackOptions extends Omit<SettingOptions, 'ignore'>, InputOptions {
  readonly repo?: string
  readonly url?: string
  readonly digest?: string
  readonly dir?: string
  readonly inline?: true
  readonly file?: string
  readonly ref?: string
  readonly path?: string
  readonly label?: LabelChange
  readonly ignore?: IgnoreOption
}

/** The options of `stack create` and `stack set`. `defaults`: absent settings get one. */
export function stackOptionList(about: {
  readonly defaults: boolean
}): readonly (Option | readonly [string, string])[] {
  return [
    new Option('--repo <URL>', 'Git repository: https, http, ssh or a local directory').conflicts([
      'url',
      'dir',
      'inline',
      'digest',
    ]),
    new Option('--url <URL>', 'package file or archive: https or http').conflicts(['dir', 'inline', 'ref']),
    ['--digest <DIGEST>', 'expected digest of --url: sha256:…'],
    new Option('--dir <DIR>', 'directory on the machine of the agent').conflicts(['inline', 'ref', 'path', 'digest']),
    new Option(
      '-f, --file <FILE>',
      'stack document, which names the source too, as `stack get -o yaml` prints it; -: standard input',
    ).conflicts(['repo', 'url', 'dir', 'inline']),
    ['--ref <REF>', 'branch, tag, commit, HEAD or semver:RANGE to follow'],
    ['--path <PATH>', 'directory or file in the repository or archive'],
    labelOption(),
    ...settingOptions(about),
    ignoreOption(),
    ...inputOptionList(),
  ]
}

/** The document of a new stack. Options override single settings of a file. */
export async function stackDocument(name: string, options: StackOptions, places: InputPlaces): Promise<StackDocument> {
  const { cwd } = places
  const { values, secrets } = inputsAmong(options, cwd)
  if (options.file !== undefined) {
    const document = await readDocument(name, options.file, places)
    return {
      ...document,
      sources: withRef(document.sources, options),
      labels: withLabels(document.labels ?? {}, options.label ?? {}),
      ignore: [...(document.ignore ?? []), ...(options.ignore ?? [])],
      ...settingsAmong(options),
      ...(values && { values: { ...document.values, ...values } }),
      ...(secrets && { secrets: { ...document.secrets, ...secrets } }),
    }
  }
  const { repo, url, dir, inline } = options
  const source: StackDocument['sources'][number] | undefined =
    repo !== undefined
      ? { url: await repositoryAddress(repo, cwd), ...refAndPath(options) }
      : url !== undefined
        ? { kind: 'url', url, ...withoutUndefined({ path: options.path, digest: options.digest }) }
        : dir !== undefined
          ? { kind: 'directory', directory: resolve(cwd, dir) }
          : inline && { kind: 'inline' }
  if (source === undefined) throw usageErrors.noSource(name)
  const labels = options.label && withLabels({}, options.label)
  const { ignore } = options
  const given = withoutUndefined({ labels, ignore, values, secrets })
  return { name, sources: [source], ...settingsAmong(options), ...given }
}

/** The changes of `stack set`. */
export async function stackPatch(
  name: string,
  options: StackOptions,
  places: InputPlaces,
): Promise<StackPatchDocument> {
  const { cwd } = places
  const { values, secrets } = inputsAmong(options, cwd)
  const unset = options.unset && [...options.unset]
  const { label: setLabels, ignore: addIgnore } = options
  const single = withoutUndefined({ setLabels, addIgnore, setValues: values, setSecrets: secrets, unset })
  if (options.file !== undefined) {
    const { name: _, sources, ...settings } = await readChanges(name, options.file, places)
    const located = sources === undefined ? await sourceChange(options, cwd) : { sources: withRef(sources, options) }
    return notEmpty(name, { ...located, ...settings, ...settingsAmong(options), ...single })
  }
  return notEmpty(name, { ...(await sourceChange(options, cwd)), ...settingsAmong(options), ...single })
}

function notEmpty(name: string, patch: StackPatchDocument): StackPatchDocument {
  if (Object.keys(patch).length === 0) throw usageErrors.noSettings(name)
  return patch
}

async function sourceChange(options: StackOptions, cwd: string): Promise<Pick<StackPatchDocument, 'source'>> {
  const source = await sourcePatch(options, cwd)
  return Object.keys(source).length === 0 ? {} : { source }
}

/** The changes of the source. */
async function sourcePatch(options: StackOptions, cwd: string): Promise<NonNullable<StackPatchDocument['source']>> {
  const { repo, url, dir, path, digest } = options
  if (repo !== undefined) return { kind: 'git', url: await repositoryAddress(repo, cwd), ...refAndPath(options) }
  if (url !== undefined) return { kind: 'url', url, ...withoutUndefined({ path, digest }) }
  if (dir !== undefined) return { kind: 'directory', directory: resolve(cwd, dir) }
  return withoutUndefined({ ...refAndPath(options), digest })
}

function withRef(sources: StackDocument['sources'], options: StackOptions): StackDocument['sources'] {
  return sources.map((one) => (isGit(one) ? { ...one, ...refAndPath(options) } : one))
}

function isGit({ kind }: StackDocument['sources'][number]): boolean {
  return (kind ?? 'git') === 'git'
}

function refAndPath(options: StackOptions): { readonly ref?: string; readonly path?: string } {
  return withoutUndefined({ ref: options.ref, path: options.path })
}

/** The limit of a stack document. */
const maximumDocumentBytes = 4 * 1024 * 1024

/** Reads the file of `stack create -f`, which may leave out the name. Its problems have file and line. */
async function readDocument(name: string, file: string, places: InputPlaces): Promise<StackDocument> {
  const { readStackDocument, toStackDocument } = await import('../../../settings/documents/stack-document.js')
  const read = (path: string, text: string, directory: string): ReturnType<typeof readStackDocument> =>
    readStackDocument(path, text, directory, name)
  return toStackDocument(await readNamed(read, { name, file, places }))
}

/** Reads the file of `stack set -f`: the settings that it names, and no defaults. */
async function readChanges(
  name: string,
  file: string,
  places: InputPlaces,
): Promise<Omit<StackPatchDocument, 'source'> & { readonly name?: string | undefined }> {
  const { readStackChanges } = await import('../../../settings/documents/stack-document.js')
  return readNamed(readStackChanges, { name, file, places })
}

/** A name in the file must be the one that was typed. */
async function readNamed<Read extends { readonly name?: string | undefined }>(
  read: (file: string, text: string, directory: string) => Checked<Read | undefined>,
  { name, file, places }: { readonly name: string; readonly file: string; readonly places: InputPlaces },
): Promise<Read> {
  const text = (await readInput(file, places, maximumDocumentBytes)).toString('utf8')
  const { value, problems } = read(file, text, dirname(resolve(places.cwd, file)))
  if (value === undefined) throw fileErrors.notStackDocument(file, problems)
  if (value.name !== undefined && value.name !== name) throw fileErrors.otherStack(file, value.name, name)
  return value
}

/**
 * The answer to a request with these options. The agent does not say whether a directory exists that it may not read:
 * one that this machine does not have is named in place of the refusal.
 */
export async function namingMissing<T>(
  answer: Promise<T>,
  options: Pick<StackOptions, 'repo' | 'dir' | 'url' | 'file'>,
  cwd: string,
): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const { repo, dir } = options
    const given = dir ?? repo
    if (error.code !== notAllowed || given === undefined) throw withOptionNames(error, options)
    const path = dir === undefined ? fileURLToPath(await repositoryAddress(given, cwd)) : resolve(cwd, dir)
    throw existsSync(path) ? error : fileErrors.noDirectory(given, error)
  }
}

const notAllowed = 'source/directory-not-allowed'

/** The address of a repository for the API. A local directory, also without a leading `./`, becomes a `file:` URL. */
export async function repositoryAddress(repo: string, cwd: string): Promise<string> {
  if (repo === '') throw usageErrors.emptyRepository()
  const address = resolveAddress(repo, cwd)
  if (isAbsolute(address)) return pathToFileURL(resolve(address)).href
  if (/^[a-z]+:/i.test(address)) return address
  const isDirectory = await stat(resolve(cwd, address)).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isDirectory ? pathToFileURL(resolve(cwd, address)).href : address
}
