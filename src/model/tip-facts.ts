/** Who made a tag or a commit, when (milliseconds since the epoch), and what he wrote, at most 4,000 characters of it. */
export interface Authored {
  readonly name: string
  readonly email: string
  readonly at: number
  readonly message: string
}

/**
 * Whether what a ref leads to is signed by a key of the configuration file. `key`: its fingerprint; `by`: its name there. `unknown-key`: signed, by a key that
 * is not there. `bad`: the signature does not fit, has expired, or is of another tag; `why` is a sentence.
 */
export type Signature =
  | { readonly state: 'none' }
  | { readonly state: 'good'; readonly key: string; readonly by: string }
  | { readonly state: 'unknown-key'; readonly key: string }
  | { readonly state: 'bad'; readonly why: string }

/** What is known of a tip beside its ids. */
export interface TipFacts {
  /** Of an annotated tag. `name`: as the tag object says it. */
  readonly tag: (Authored & { readonly tag: string }) | null
  readonly commit: Authored
  readonly signature: Signature
}
