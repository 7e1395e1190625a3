import type { Command } from 'commander'
import { choice, type AgentOptions, type Declare } from '../invocation.js'

export function addAgentVerb(program: Command, declare: Declare): void {
  const agent = {
    usage: 'agent',
    summary: 'run the agent',
    example: 'agent --config config/gitmoor.yaml',
    notes: 'Exit code 3 if the agent refuses its configuration.',
    options: [
      ['--config <FILE>', 'configuration file (default: none)'],
      ['--listen <HOST:PORT>', 'address of the API (default: 127.0.0.1:4470)'],
      choice('--log <FORMAT>', 'format of the log, overrides log.format (default: text)', ['text', 'json']),
    ],
  } as const
  declare<Omit<AgentOptions, 'data'>>(program, agent, (cli, _, options) => {
    const { data } = cli.address
    return cli.startAgent({ ...options, ...(data === undefined ? {} : { data }) })
  })
}
