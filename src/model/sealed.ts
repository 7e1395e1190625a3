/** Encrypted with the data directory's key. */
export type Sealed = string & { readonly brand: 'sealed' }
