/** How the agent logs in to an ssh server: by a key file or a key agent's socket; and known hosts. Absolute paths. */
export type SshLogin = { readonly knownHosts: string } & (
  { readonly identityFile: string } | { readonly agent: string }
)
