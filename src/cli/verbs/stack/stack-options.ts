// Settings of a stack as options, and as the documents that the API takes.
import { InvalidArgumentError, Option } from 'commander'
import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { StackDocument, StackPatchDocument } from '../../../settings/stack-document.js'
import { resolveAddress } from '../../../settings/source-address.js'
import { UsageError } from '../../cli-error.js'
import { choice } from '../../invocation.js'
import { readInputFile } from '../../files/input-file.js'

export interface StackOptions {
  readonly repo?: string
  readonly url?: string
  readonly digest?: string
  readonly dir?: string
  readonly inline?: true
  readonly file?: string
  readonly ref?: string
  readonly path?: string
  readonly target?: string
  readonly displayName?: string
  readonly interval?: string
  readonly driftInterval?: string
  readonly schedule?: string
  readonly timeZone?: string
  readonly dependsOn?: string
  readonly drift?: 'correct' | 'report' | 'ignore'
  readonly apply?: 'auto' | 'approval'
  readonly onFailure?: 'undo' | 'continue'
  readonly maxDeletes?: number
  readonly adopt?: 'allow' | 'refuse'
  readonly dataLoss?: 'refuse' | 'allow'
}

export function stackOptionList(): readonly (Option | readonly [string, string])[] {
  return [
    new Option('--repo <URL>', 'git repository: https, http, ssh, or a local directory').conflicts([
      'url',
      'dir',
      'inline',
      'digest',
    ]),
    new Option('--url <URL>', 'one package file, or an archive: https or http').conflicts(['dir', 'inline', 'ref']),
    ['--digest <DIGEST>', 'sha256:…, what the file or archive of --url must be'],
    new Option('--dir <DIR>', 'folder on the machine of the agent').conflicts(['inline', 'ref', 'path', 'digest']),
    new Option('-f, --file <FILE>', 'stack document, as `stack get -o yaml` prints it').conflicts([
      'repo',
      'url',
      'dir',
      'inline',
    ]),
    ['--ref <REF>', 'branch, tag, commit, HEAD or semver:RANGE to follow'],
    ['--path <PATH>', 'folder or file in the repository or archive'],
    ['--target <NAME>', 'target to keep there (default: local)'],
    ['--display-name <TEXT>', 'the name people see'],
    ['--interval <time>', 'how often the source is looked at (default: 60s)'],
    ['--drift-interval <time>', 'how often the target is looked at (default: 5m)'],
    ['--schedule <CRON>', 'when it is synced, whatever else happens: five fields, @daily, or never (the default)'],
    ['--time-zone <ZONE>', 'of --schedule, and of windows that name none (default: UTC)'],
    ['--depends-on <NAMES>', "stacks that are to be ready before, with commas; '': none"],
    choice('--drift <how>', 'what to do when the target differs though the revision does not', [
      'correct',
      'report',
      'ignore',
    ]),
    choice('--apply <when>', 'approval: every plan waits for a person', ['auto', 'approval']),
    choice('--on-failure <how>', 'what to do with a half-done apply', ['undo', 'continue']),
    new Option('--max-deletes <N>', 'more removals than this wait for a person').argParser(readCount),
    choice('--adopt <how>', 'refuse: taking over what is there already waits for a person', ['allow', 'refuse']),
    choice('--data-loss <how>', 'refuse: what loses data waits for a person', ['refuse', 'allow']),
  ]
}

function readCount(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}

/** The document of a stack to be made. Of a file's document, single options change what they name. */
export async function stackDocument(name: string, options: StackOptions, cwd: string): Promise<StackDocument> {
  if (options.file !== undefined) {
    const document = await readDocument(name, options.file, cwd)
    return {
      ...document,
      sources: document.sources.map((one) => (isGit(one) ? { ...one, ...refAndPath(options) } : one)),
      ...settingsFromOptions(options),
    }
  }
  const { repo, url, dir, inline } = options
  const source: StackDocument['sources'][number] | undefined =
    repo !== undefined
      ? { url: await repositoryAddress(repo, cwd), ...refAndPath(options) }
      : url !== undefined
        ? { kind: 'url', url, ...withoutAbsent({ path: options.path, digest: options.digest }) }
        : dir !== undefined
          ? { kind: 'directory', directory: resolve(cwd, dir) }
          : inline && { kind: 'inline' }
  if (source === undefined) {
    throw new UsageError(
      'Where from? One of --repo URL, --url URL, --dir DIR, --inline, -f FILE is needed.',
      `gitmoor stack create ${name} --repo https://github.com/acme/${name}`,
    )
  }
  return { name, sources: [source], ...settingsFromOptions(options) }
}

/** What `stack set` changes. */
export async function stackPatch(name: string, options: StackOptions, cwd: string): Promise<StackPatchDocument> {
  if (options.file !== undefined) {
    const { name: _, sources, ...settings } = await readDocument(name, options.file, cwd)
    const changed = sources.map((one) => (isGit(one) ? { ...one, ...refAndPath(options) } : one))
    return { sources: changed, ...settings, ...settingsFromOptions(options) }
  }
  const source = await sourcePatch(options, cwd)
  const patch = { ...(Object.keys(source).length === 0 ? {} : { source }), ...settingsFromOptions(options) }
  if (Object.keys(patch).length === 0)
    throw new UsageError('Nothing to change was given.', `For example gitmoor stack set ${name} --ref beta`)
  return patch
}

/** What the options change of the one source that is meant. */
async function sourcePatch(options: StackOptions, cwd: string): Promise<NonNullable<StackPatchDocument['source']>> {
  const { repo, url, dir, path, digest } = options
  if (repo !== undefined) return { kind: 'git', url: await repositoryAddress(repo, cwd), ...refAndPath(options) }
  if (url !== undefined) return { kind: 'url', url, ...withoutAbsent({ path, digest }) }
  if (dir !== undefined) return { kind: 'directory', directory: resolve(cwd, dir) }
  return withoutAbsent({ ...refAndPath(options), digest })
}

function isGit({ kind }: StackDocument['sources'][number]): boolean {
  return (kind ?? 'git') === 'git'
}

function refAndPath(options: StackOptions): { readonly ref?: string; readonly path?: string } {
  return withoutAbsent({ ref: options.ref, path: options.path })
}

type Settings = Omit<StackPatchDocument, 'source' | 'sources'>

function settingsFromOptions(options: StackOptions): Settings {
  const { target, displayName, interval, driftInterval, schedule, timeZone, dependsOn, ...others } = options
  const { drift, apply, onFailure, maxDeletes, adopt, dataLoss } = others
  const times = {
    interval,
    driftInterval,
    schedule,
    timeZone,
    dependsOn: dependsOn === undefined ? undefined : splitNames(dependsOn),
  }
  return withoutAbsent({ target, displayName, ...times, drift, apply, onFailure, maxDeletes, adopt, dataLoss })
}

function splitNames(text: string): string[] {
  return text === '' ? [] : text.split(',').map((name) => name.trim())
}

/** Of a file that holds a stack document. */
const maximumDocumentBytes = 4 * 1024 * 1024

/** Reads what `-f` names. Its problems carry file and line. */
async function readDocument(name: string, file: string, cwd: string): Promise<StackDocument> {
  const { readStackDocument, toStackDocument } = await import('../../../settings/stack-document.js')
  const path = resolve(cwd, file)
  const text = readInputFile(path, file, maximumDocumentBytes).toString('utf8')
  const { value, problems } = readStackDocument(file, text, dirname(path))
  if (value === undefined) throw new UsageError(`${file} is not a good stack document.`, undefined, problems)
  if (value.name !== name) throw new UsageError(`${file} is of the stack ${value.name}, not ${name}.`, 'Use one name.')
  return toStackDocument(value)
}

/** An address as the API takes it: local directories, also without `./` before, become `file:` addresses. */
export async function repositoryAddress(repo: string, cwd: string): Promise<string> {
  if (repo === '') throw new UsageError('--repo is empty.', 'For example --repo https://github.com/acme/boards')
  const address = resolveAddress(repo, cwd)
  if (isAbsolute(address)) return pathToFileURL(resolve(address)).href
  if (/^[a-z]+:/i.test(address)) return address
  const isDirectory = await stat(resolve(cwd, address)).then(
    (found) => found.isDirectory(),
    () => false,
  )
  return isDirectory ? pathToFileURL(resolve(cwd, address)).href : address
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function withoutAbsent<T extends object>(value: T): Present<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Present<T>
}
