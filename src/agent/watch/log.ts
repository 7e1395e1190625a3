/**
 * What happens, for whoever runs the agent. The message is fixed, facts are fields. debug: for who hunts a fault; info:
 * something changed; warn: will be tried again; error: someone must act.
 */
export interface Log {
  debug(message: string, facts?: Readonly<Record<string, unknown>>): void
  info(message: string, facts?: Readonly<Record<string, unknown>>): void
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void
  error(message: string, facts?: Readonly<Record<string, unknown>>): void
}
