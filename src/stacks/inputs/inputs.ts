// stacks/inputs: values, secrets and skips of packages, from the settings of a stack and from pushes. Takes a stack and
// its files; gives inputs. Promises: pushed secrets are in memory only, until they are applied.
import { compareText } from '../../lib/text/compare-text.js'
import { Slices } from '../../lib/async/steps.js'
import { LRUCache } from 'lru-cache'
import { noValues, type EnvValues } from '../../model/resources/document.js'
import { Secret } from '../../model/json.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { describeError, Refused, Rejected, Unavailable } from '../../model/errors.js'
import { quoted } from '../../lib/text/printable.js'
import { hintOf } from '../../model/stacks/blocker.js'
import type {
  AllowedSecrets,
  GivenValue,
  Inputs,
  UnreadableCause,
  UnreadableInput,
} from '../../model/resources/inputs.js'
import { isReferring, resolveValue, type ValueLookup } from '../../secrets/resolve-value.js'
import type { Keyring } from '../../secrets/keyring.js'
import type { Redactor } from '../../secrets/redact/redact.js'
import { unreadableInputMessage, unreadableInputSteps } from '../../status/unreadable-inputs.js'
import type { PackageFileRow } from '../../store/file-table.js'
import { refusedReference } from './allowed-secrets.js'
import type { PushedPackage } from './pushed-package.js'
import { openInputs, sealInputs, type StoredInputs } from './inputs-file.js'

/** Of all pushed secrets that are not applied yet. */
const mostBytes = 16 * 1024 * 1024
/** Sets of values that are cached. */
const mostSets = 1_000

type Secrets = ReadonlyMap<string, Secret>
/** By env key. A value from a file is a `Secret`. */
type Values = readonly (readonly [key: string, value: string | Secret])[]

interface SettingInputs {
  readonly values: Values
  readonly secrets: Secrets
}

export class StackInputs {
  readonly #keyring: Keyring
  readonly #redactor: Redactor
  readonly #lookup: ValueLookup
  readonly #allowed: AllowedSecrets
  /** Stack → fingerprint → secret, for pushed secrets that are not applied yet. */
  readonly #waiting = new LRUCache<string, Secrets>({ maxSize: mostBytes, sizeCalculation: secretBytes })
  readonly #sets = new LRUCache<string, EnvValues>({ max: mostSets })

  /**
   * `lookup`: resolves the references in settings at each use, so values may change while the agent runs. `allowed`:
   * the references that stacks of the API may have.
   */
  constructor({
    keyring,
    redactor,
    lookup,
    allowed,
  }: {
    readonly keyring: Keyring
    readonly redactor: Redactor
    readonly lookup: ValueLookup
    readonly allowed: AllowedSecrets
  }) {
    this.#allowed = allowed
    this.#keyring = keyring
    this.#lookup = lookup
    this.#redactor = redactor
  }

  /**
   * The inputs for these files of a stack. Pushed inputs override settings. Errors: `Unavailable`, if a reference has
   * no value now; `Rejected`, if it is no longer allowed, or if the pushed inputs were sealed with another key.
   * References are read in slices: a stack may have a thousand files.
   */
  async of(stack: StackWithInputs, files: readonly PackageFileRow[], signal: AbortSignal): Promise<Inputs> {
    const pushed = openInputs(files, this.#keyring) ?? nothing
    const set = await this.#settings(stack, signal)
    const values = new Map([...set.values, ...pushed.values])
    const secrets = new Map([...set.secrets, ...this.#handed(stack, pushed)])
    return { ...pushed, values: this.#set([...values].sort(byKey)), secrets }
  }

  /** Errors: `Refused` usage with every reference that a stack of the API may not have. */
  refuseReferences({ name, secrets = {} }: Pick<StackSpec, 'name' | 'secrets'>): void {
    const refused = Object.entries(secrets).flatMap(([key, reference]) => {
      const why = refusedReference(reference, this.#allowed)
      return why === undefined ? [] : [`Secret ${quoted(key)} of ${name}: ${why}`]
    })
    if (refused.length === 0) return
    throw new Refused('usage', refused.join(' '), { code: 'stacks/secret-not-allowed', hint: secretHint })
  }

  /** What the settings of the stack refer to, outside of gitmoor. */
  references({ spec: { values = {}, secrets = {} }, managedBy }: StackReferring): readonly StackReference[] {
    const given = managedBy === 'file' ? Object.entries(values) : []
    return [
      ...Object.entries(secrets).map(([key, text]) => ({ kind: 'secret' as const, key, text, managedBy })),
      ...given.flatMap(([key, text]) => (isReferring(text) ? [{ kind: 'value' as const, key, text, managedBy }] : [])),
    ]
  }

  /** Why a reference cannot be read now; undefined: it can. */
  whyUnreadable({ text, managedBy }: Pick<StackReference, 'text' | 'managedBy'>): UnreadableCause | undefined {
    const refusal = this.#refusal({ text, managedBy })
    if (refusal !== undefined) return refusal
    try {
      resolveValue(text, this.#lookup)
      return undefined
    } catch (error) {
      return unreadableCause(text, error)
    }
  }

  /** True if an input in the settings of the stack cannot be read now. Reads in slices. */
  async isUnreadable(stack: StackReferring, signal: AbortSignal): Promise<boolean> {
    const slices = new Slices(signal)
    for (const reference of this.references(stack)) {
      await slices.afterStep()
      if (this.whyUnreadable(reference) !== undefined) return true
    }
    return false
  }

  /** True if the inputs may change although neither settings nor files do. */
  mayChange(stack: StackReferring): boolean {
    return this.references(stack).length > 0
  }

  /** The inputs of a package that is not stored. `stack`: undefined before it exists. Errors: those of `of`. */
  async ofUnstored(pushed: PushedPackage, stack: Stack | undefined, signal: AbortSignal): Promise<Inputs> {
    const set =
      stack === undefined ? { values: [], secrets: new Map<string, Secret>() } : await this.#settings(stack, signal)
    const own = this.#secrets(pushed)
    const values = new Map([...set.values, ...valuesByKey(pushed)])
    return {
      ...this.#text(pushed, own),
      values: this.#set([...values].sort(byKey)),
      secrets: new Map([...set.secrets, ...own]),
    }
  }

  /** The file with the inputs of the package; undefined: it has none. */
  inputsFile(pushed: PushedPackage): PackageFileRow | undefined {
    const text = this.#text(pushed, this.#secrets(pushed))
    const isPlain = text.values.length + text.secrets.length + text.skips.length === 0 && !text.allowEmpty
    return isPlain ? undefined : sealInputs(text, this.#keyring)
  }

  /** Keeps the secrets of the package in memory until it is applied. */
  addSecrets(stack: string, pushed: PushedPackage): void {
    const secrets = [...this.#secrets(pushed).values()]
    if (secrets.length === 0) return
    this.#waiting.set(
      stack,
      new Map([...(this.#waiting.get(stack) ?? []), ...secrets.map((one) => [one.fingerprint, one] as const)]),
    )
  }

  /** The secrets of these files are applied: drops them. */
  dropSecrets({ id }: Stack, files: readonly PackageFileRow[]): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    const done = new Set(openInputs(files, this.#keyring)?.secrets.map(([, fingerprint]) => fingerprint))
    const left = [...waiting].filter(([fingerprint]) => !done.has(fingerprint))
    if (left.length === 0) this.#waiting.delete(id)
    else this.#waiting.set(id, new Map(left))
  }

  /** A secret is also the value of the env key of the same name, for credentials, unless `values` has one. */
  async #settings(stack: StackReferring, signal: AbortSignal): Promise<SettingInputs> {
    const slices = new Slices(signal)
    const read = new Map<string, string>()
    for (const one of this.references(stack)) {
      await slices.afterStep()
      read.set(`${one.kind} ${one.key}`, this.#read(one, stack))
    }
    const { values = {}, secrets = {} } = stack.spec
    const texts = Object.keys(secrets).map((key) => [key, read.get(`secret ${key}`)!] as const)
    const plain = Object.entries(values).map(([key, value]) => {
      const text = read.get(`value ${key}`)
      return [key, text !== undefined && isOfFile(value) ? this.#conceal(text) : (text ?? String(value))] as const
    })
    const concealed = this.#secrets({ secrets: Object.fromEntries(texts) })
    return { values: [...concealed, ...plain], secrets: concealed }
  }

  #read(reference: StackReference, stack: StackReferring): string {
    const cause = this.#refusal(reference)
    if (cause !== undefined) {
      const { message, hint } = unreadableFacts({ ...reference, ...cause }, stack)
      throw new Rejected(message, { code: 'stacks/secret-not-allowed', hint })
    }
    try {
      const value = resolveValue(reference.text, this.#lookup)
      this.#redactor.add(value)
      return value
    } catch (error) {
      const { message, hint } = unreadableFacts({ ...reference, ...unreadableCause(reference.text, error) }, stack)
      throw new Unavailable(message, { code: 'stacks/value-unreadable', hint, cause: error })
    }
  }

  /** Why a stack of the API may not have the reference. */
  #refusal({ text, managedBy }: Pick<StackReference, 'text' | 'managedBy'>): UnreadableCause | undefined {
    const why = managedBy !== 'file' ? refusedReference(text, this.#allowed) : undefined
    return why === undefined ? undefined : { why, fix: secretHint.replace(/\.$/, '') }
  }

  #handed({ id }: StackWithInputs, { secrets }: StoredInputs): readonly (readonly [string, Secret])[] {
    const waiting = this.#waiting.get(id)
    return secrets.flatMap(([key, fingerprint]) => {
      const secret = waiting?.get(fingerprint)
      return secret === undefined ? [] : [[key, secret] as const]
    })
  }

  #secrets({ secrets = {} }: Pick<PushedPackage, 'secrets'>): Secrets {
    return new Map(Object.entries(secrets).map(([key, value]) => [key, this.#conceal(value)]))
  }

  #conceal(value: string): Secret {
    this.#redactor.add(value)
    return this.#keyring.toSecret(value)
  }

  #text({ skips = [], allowEmpty = false, ...pushed }: PushedPackage, secrets: Secrets): StoredInputs {
    const keys = [...secrets].map(([key, { fingerprint }]) => [key, fingerprint] as const)
    return { values: valuesByKey(pushed), secrets: keys.sort(byKey), skips, allowEmpty }
  }

  /** The same map for the same values, because the cache of parsed files is keyed by it. */
  #set(values: Values): EnvValues {
    if (values.length === 0) return noValues
    const text = JSON.stringify(values.map(([key, value]) => [key, value, value instanceof Secret]))
    const known = this.#sets.get(text)
    if (known !== undefined) return known
    const set = new Map(values)
    this.#sets.set(text, set)
    return set
  }
}

/** The facts of a stack that decide its inputs. */
export type StackWithInputs = Pick<Stack, 'id' | 'spec' | 'managedBy'>

type StackReferring = Pick<Stack, 'spec' | 'managedBy'>

/** A reference in the settings of a stack. `text`: with `${env:NAME}` or `${file:PATH}`. */
export interface StackReference extends Pick<UnreadableInput, 'kind' | 'key'>, Pick<Stack, 'managedBy'> {
  readonly text: string
}

function unreadableCause(text: string, error: unknown): UnreadableCause {
  const fixes = [
    ...(text.includes('${file:') ? ['Put the file back, readable for the user of the agent'] : []),
    ...(text.includes('${env:') ? ['Set the variable for the agent, and restart the agent'] : []),
  ]
  return { why: describeError(error), fix: fixes.join('. ') || 'Correct the reference' }
}

function unreadableFacts(
  input: UnreadableInput,
  stack: StackReferring,
): { readonly message: string; readonly hint: string } {
  return {
    message: unreadableInputMessage(input, stack.spec.name),
    hint: hintOf(unreadableInputSteps(input, stack)),
  }
}

const secretHint = 'List it in allow.secrets of the configuration file of the agent, and restart the agent.'

const nothing: StoredInputs = { values: [], secrets: [], skips: [], allowEmpty: false }

function isOfFile(value: GivenValue): boolean {
  return typeof value === 'string' && value.includes('${file:')
}

function valuesByKey({ values = {} }: Pick<PushedPackage, 'values'>): StoredInputs['values'] {
  return Object.entries(values)
    .map(([key, value]) => [key, String(value)] as const)
    .sort(byKey)
}

function byKey([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]): number {
  return compareText(a, b)
}

function secretBytes(secrets: Secrets): number {
  return [...secrets.values()].reduce((sum, secret) => sum + secret.reveal().length, 1)
}
