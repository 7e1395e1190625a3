// How ssh is started: with our settings and no others, so that nothing of the machine's decides whom it trusts, what it
// runs or what it forwards.
import type { SshAddress, SshLogin } from '../../../lib/ssh-address.js'
import type { GitService } from './protocol.js'

export interface SshCall {
  readonly to: SshAddress
  /** What the host's name was looked up to and is connected to. */
  readonly address: string
  readonly login: SshLogin
  readonly service: GitService
  readonly connectSeconds: number
}

/** Arguments of `ssh`. What comes from outside stands behind its option, or after `--`. */
export function sshArguments({ to, address, login, service, connectSeconds }: SshCall): readonly string[] {
  const options = {
    BatchMode: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: login.knownHosts,
    GlobalKnownHostsFile: '/dev/null',
    HostKeyAlias: to.port === 22 ? to.host : `[${to.host}]:${to.port}`,
    HostName: address.replaceAll('%', '%%'),
    VerifyHostKeyDNS: 'no',
    UpdateHostKeys: 'no',
    CheckHostIP: 'no',
    PreferredAuthentications: 'publickey',
    ...identity(login),
    ClearAllForwardings: 'yes',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    PermitLocalCommand: 'no',
    ProxyCommand: 'none',
    ControlMaster: 'no',
    ControlPath: 'none',
    SendEnv: 'GIT_PROTOCOL',
    ConnectTimeout: String(connectSeconds),
    LogLevel: 'ERROR',
  }
  const settings = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const user = to.user === undefined ? [] : ['-l', to.user]
  return [
    '-F',
    '/dev/null',
    '-T',
    ...settings,
    '-p',
    String(to.port),
    ...user,
    '--',
    to.host,
    `${service} ${quoted(to.path)}`,
  ]
}

/** All that the child's environment holds. `searchPath`: as PATH has it. */
export function sshEnvironment(login: SshLogin, searchPath: string): Readonly<Record<string, string>> {
  return {
    PATH: searchPath,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_PROTOCOL: 'version=2',
    ...('agent' in login ? { SSH_AUTH_SOCK: login.agent } : {}),
  }
}

/** One key only; or those of the key agent, and no file. */
function identity(login: SshLogin): Readonly<Record<string, string>> {
  if ('agent' in login) return { IdentitiesOnly: 'no', IdentityFile: 'none' }
  return { IdentitiesOnly: 'yes', IdentityFile: login.identityFile, IdentityAgent: 'none' }
}

/** As git quotes a path for the shell on the far side. */
function quoted(path: string): string {
  return `'${path.replace(/['!]/g, (character) => `'\\${character}'`)}'`
}
