// How an agent is started: what agent.json says, and the command.
import { shellWord } from '../../lib/text/shell-word.js'

/** `directory`: where relative paths of the configuration file start. */
export interface AgentStart {
  readonly data: string
  readonly config?: string
  readonly listen?: string
  readonly log?: string
  readonly directory?: string
}

/**
 * How the agent of an agent.json was started. If it had no configuration file: how the last one was that had one, if
 * that is known.
 */
export function agentStart(data: string, facts: Readonly<Record<string, unknown>>): AgentStart {
  const { former, formerConfig } = facts
  const all = typeof facts['config'] === 'string' ? facts : isMap(former) ? former : { config: formerConfig, ...facts }
  const { config, listen, log, directory } = all
  return {
    data,
    ...(typeof config === 'string' ? { config } : {}),
    ...(typeof listen === 'string' ? { listen } : {}),
    ...(typeof log === 'string' ? { log } : {}),
    ...(typeof directory === 'string' ? { directory } : {}),
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/**
 * The command that starts the same agent. It changes to the agent's working directory if `cwd` is another one and the
 * configuration file may contain relative paths.
 */
export function startCommand({ data, config, listen, log, directory }: AgentStart, cwd = directory): string {
  const words = [
    'gitmoor agent',
    ...(config === undefined ? [] : ['--config', shellWord(config)]),
    ...(listen === undefined ? [] : ['--listen', shellWord(listen)]),
    ...(log === undefined ? [] : ['--log', shellWord(log)]),
    '--data',
    shellWord(data),
  ]
  const isElsewhere = config !== undefined && directory !== undefined && directory !== cwd
  return `${isElsewhere ? `cd ${shellWord(directory)} && ` : ''}${words.join(' ')}`
}
