// The ssh command line. It sets every relevant option, so the machine's ssh configuration does not decide what is
// trusted, run or forwarded.
import type { SshAddress, SshLogin } from '../../../lib/text/ssh-address.js'
import type { GitService } from './protocol.js'

export interface SshCall {
  readonly to: SshAddress
  /** The resolved address of the host, which ssh connects to. */
  readonly address: string
  readonly login: SshLogin
  readonly service: GitService
  readonly connectSeconds: number
}

/** Arguments of `ssh`. External values follow their option or `--`, so they cannot become options. */
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

/** The complete environment of the child. `searchPath`: in the format of PATH. */
export function sshEnvironment(login: SshLogin, searchPath: string): Readonly<Record<string, string>> {
  return {
    PATH: searchPath,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_PROTOCOL: 'version=2',
    ...('agent' in login ? { SSH_AUTH_SOCK: login.agent } : {}),
  }
}

/** Exactly one key file, or only the keys of the ssh agent. */
function identity(login: SshLogin): Readonly<Record<string, string>> {
  if ('agent' in login) return { IdentitiesOnly: 'no', IdentityFile: 'none' }
  return { IdentitiesOnly: 'yes', IdentityFile: login.identityFile, IdentityAgent: 'none' }
}

/** Quotes a path for the shell of the server, as git does. */
function quoted(path: string): string {
  return `'${path.replace(/['!]/g, (character) => `'\\${character}'`)}'`
}
