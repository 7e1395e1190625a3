/** The host and port that a remote is reached at; undefined: it is on this machine. */
export function hostOf(remote: string): string | undefined {
  return /^(?:url:)?(?:https?|ssh):\/\/(?:[^@/]*@)?([^/]+)/i.exec(remote)?.[1]?.toLowerCase()
}
