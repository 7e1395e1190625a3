/** The author, time (milliseconds since the epoch) and message (at most 4,000 characters) of a tag or a commit. */
export interface Authored {
  readonly name: string
  readonly email: string
  readonly at: number
  readonly message: string
}

/**
 * Whether a tip is signed by a key of the configuration file. `key`: its fingerprint; `by`: its name there.
 * `unknown-key`: signed by another key. `bad`: the signature does not match, has expired, or is of another tag; `why`
 * is a sentence.
 */
export type Signature =
  | { readonly state: 'none' }
  | { readonly state: 'good'; readonly key: string; readonly by: string }
  | { readonly state: 'unknown-key'; readonly key: string }
  | { readonly state: 'bad'; readonly why: string }

/** Facts about a tip beside its ids. */
export interface TipFacts {
  /** Of an annotated tag. `name`: from the tag object. */
  readonly tag: (Authored & { readonly tag: string }) | null
  readonly commit: Authored
  readonly signature: Signature
}
