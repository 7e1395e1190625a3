import type { Command } from 'commander'
import type { Declare } from '../invocation.js'

export function addAgentVerb(program: Command, declare: Declare): void {
  const agent = {
    usage: 'agent',
    summary: 'run the agent',
    example: 'agent --config config/gitmoor.yaml',
    options: [
      ['--config <FILE>', 'configuration file (default: none)'],
      ['--listen <HOST:PORT>', 'address of the API (default: 127.0.0.1:4470)'],
    ],
  } as const
  declare<{ config?: string; listen?: string }>(program, agent, (cli, _, { config, listen }) => {
    const { data } = cli.address
    return cli.startAgent({
      ...(config === undefined ? {} : { config }),
      ...(listen === undefined ? {} : { listen }),
      ...(data === undefined ? {} : { data }),
    })
  })
}
