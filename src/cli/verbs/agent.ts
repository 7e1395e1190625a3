import type { Command } from 'commander'
import type { Declare } from '../invocation.js'

export function addAgentVerb(program: Command, declare: Declare): void {
  const agent = {
    usage: 'agent',
    summary: 'be the agent: follow the stacks until stopped',
    example: 'agent --config config/gitmoor.yaml',
    options: [
      ['--config <FILE>', 'configuration file; without it no file is read'],
      ['--listen <HOST:PORT>', 'where the API listens (default: 127.0.0.1:4470)'],
    ],
  } as const
  declare<{ config?: string; listen?: string }>(program, agent, (at, _, { config, listen }) => {
    const { data } = at.address
    return at.startAgent({
      ...(config === undefined ? {} : { config }),
      ...(listen === undefined ? {} : { listen }),
      ...(data === undefined ? {} : { data }),
    })
  })
}
