// OpenSSH's own server for tests, where it is installed: a process on the loopback interface that accepts the user who
// runs the tests.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { writeSshFiles, type SshFiles } from './ssh-server.js'

/** `GITMOOR_SSHD`, or on the PATH, or in directories for root. It must be started by its full path. */
function findServer(): string | undefined {
  const named = process.env['GITMOOR_SSHD']
  if (named !== undefined) return isAbsolute(named) && existsSync(named) ? named : undefined
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return places.map((place) => join(place, 'sshd')).find((file) => existsSync(file))
}

/** It has all that it needs on this machine: of root it wants an account and a folder of its own. */
function canServe(server: string): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-sshd-'))
  try {
    return spawnSync(server, ['-t', '-f', '/dev/null', '-h', makeKeyFile(directory, 'host')]).status === 0
  } catch {
    return false // no ssh-keygen
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const program = findServer()
export const hasOpenSshServer = program !== undefined && canServe(program)

export interface OpenSshServer extends AsyncDisposable {
  readonly port: number
  /** `ssh://NAME@127.0.0.1:PORT`, to which the path of a repository on this machine is added. */
  readonly url: string
  /** What lets one in. */
  readonly files: SshFiles
  /** The public key of the server, as a line of known servers has it behind the name. */
  readonly hostKey: string
}

export interface OpenSshOptions {
  /** Lines of its configuration. */
  readonly settings?: readonly string[]
  /** The options before the key in `authorized_keys`: `command="…"`. */
  readonly keyOptions?: string
}

/** Makes a key pair; gives the private file. The public one is beside it. */
export function makeKeyFile(directory: string, name: string): string {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, name)
  const { status, stderr } = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`ssh-keygen: ${stderr}`)
  return file
}

/** `directory`: for its files; created again. */
export async function startOpenSshServer(
  directory: string,
  { settings = [], keyOptions = '' }: OpenSshOptions = {},
): Promise<OpenSshServer> {
  const [host, user] = [makeKeyFile(directory, 'host'), makeKeyFile(directory, 'user')]
  writeFileSync(join(directory, 'allowed'), `${keyOptions} ${readFileSync(`${user}.pub`, 'utf8')}`.trimStart())
  const port = await freePort()
  const configuration = join(directory, 'sshd_config')
  writeFileSync(configuration, [...settings, ...settingsIn(directory, port), ''].join('\n'))
  const child = spawn(program!, ['-D', '-e', '-f', configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()).on('error', () => resolve()))
  await untilOpen(port, () => child.exitCode !== null || child.pid === undefined).catch(() => {
    throw new Error(`sshd did not start: ${said}`)
  })
  const hostKey = readFileSync(`${host}.pub`, 'utf8').trim()
  return {
    port,
    url: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    files: writeSshFiles(join(directory, 'login'), readFileSync(user, 'utf8'), `[127.0.0.1]:${port} ${hostKey}\n`),
    hostKey,
    async [Symbol.asyncDispose]() {
      child.kill()
      await ended
    },
  }
}

/** Behind those of a test: of several that say the same, the first counts. */
function settingsIn(directory: string, port: number): readonly string[] {
  return [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(directory, 'host')}`,
    `AuthorizedKeysFile ${join(directory, 'allowed')}`,
    `PidFile ${join(directory, 'pid')}`,
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
  ]
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function untilOpen(port: number, isOver: () => boolean): Promise<void> {
  for (const until = Date.now() + 10_000; ;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return
    if (isOver() || Date.now() > until) throw new Error('not open')
    await setTimeout(20)
  }
}
