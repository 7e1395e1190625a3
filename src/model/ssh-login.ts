/** Who the agent is to an ssh server, by a key in a file or by those that a key agent behind a socket holds; and which servers are known. Absolute paths. */
export type SshLogin = { readonly knownHosts: string } & ({ readonly identityFile: string } | { readonly agent: string })
