// Real ssh for tests: a server on the loopback interface that runs what it is asked through a shell, as sshd does, and
// the files of one who logs in there.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import type { AuthContext, Connection, ServerChannel } from 'ssh2'
import { gitEnvironment } from './git-server.js'

/** There is an `ssh` on this machine: what needs it is skipped without. */
export const hasSsh = spawnSync('ssh', ['-V']).status === 0

/**
 * A new key pair: the private one as a file holds it, the public one as `ssh-ed25519 AAAA…`. Of those that ssh2 makes,
 * one in 130 cannot be read.
 */
export function makeKey(): { readonly private: string; readonly public: string } {
  for (;;) {
    const { private: secret, public: open } = ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(secret) instanceof Error)) return { private: secret, public: open.trim() }
  }
}

/** What one who logs in keeps. Paths. */
export interface SshFiles {
  readonly identityFile: string
  readonly knownHosts: string
}

export interface SshCommand {
  readonly command: string
  readonly environment: Readonly<Record<string, string>>
}

/** What to do with a command. `run` runs it, and cuts the connection when so many bytes of its output were sent. */
export type SshIntercept = (command: SshCommand, channel: ServerChannel, run: (mostBytes?: number) => void) => void

export interface SshServer extends AsyncDisposable {
  readonly port: number
  /** `ssh://git@127.0.0.1:<port>`, to which the path of a repository on this machine is added. */
  readonly url: string
  /** What was asked for, in order. */
  readonly seen: readonly SshCommand[]
  /** Files that let `git` in. `host`: as the keys of known servers name this one. */
  files(directory: string, host?: string): SshFiles
  intercept(fn: SshIntercept | undefined): void
  /** 0: as an sshd that accepts no variable, so that git cannot request a newer version. Default 2. */
  speak(newest: 0 | 2): void
  /** From now on who logs in waits for ever. */
  letNobodyIn(): void
}

/** `home`: where commands begin. */
export async function startSshServer(home: string): Promise<SshServer> {
  const [hostKey, userKey] = [makeKey(), makeKey()]
  const seen: SshCommand[] = []
  const clients = new Set<Connection>()
  let intercept: SshIntercept | undefined
  let version: 0 | 2 = 2
  let open = true
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    clients.add(client)
    client.on('error', () => undefined).on('close', () => clients.delete(client))
    client.on('authentication', (context) => void (open && authenticate(context, userKey.public)))
    client.on('session', (accept) => {
      const environment: Record<string, string> = {}
      const session = accept()
      session.on('env', (acceptEnv, rejectEnv, { key, val }) => {
        if (version === 0) return rejectEnv?.()
        environment[key] = val
        acceptEnv?.()
      })
      session.on('exec', (acceptExec, _, { command }) => {
        const channel = acceptExec()
        channel.on('error', () => undefined)
        const call = { command, environment }
        seen.push(call)
        const run = (mostBytes = Infinity): void =>
          runCommand(call, channel, { home, mostBytes, cut: () => client.end() })
        if (intercept === undefined) run()
        else intercept(call, channel, run)
      })
    })
  })
  // Without delay: each step of a login would wait 40 ms for the acknowledgement of the one before.
  const listener = createServer({ noDelay: true }, (socket) => server.injectSocket(socket))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  return {
    port,
    url: `ssh://git@127.0.0.1:${port}`,
    seen,
    files: (directory, host = `[127.0.0.1]:${port}`) =>
      writeSshFiles(directory, userKey.private, `${host} ${hostKey.public}\n`),
    intercept: (fn) => void (intercept = fn),
    speak: (newest) => void (version = newest),
    letNobodyIn: () => void (open = false),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => void listener.close(() => resolve()))
      for (const client of clients) client.end()
      await closed
    },
  }
}

/** Writes a private key, as ssh wants it, and the keys of known servers. */
export function writeSshFiles(directory: string, key: string, knownHosts: string): SshFiles {
  mkdirSync(directory, { recursive: true })
  const files = { identityFile: join(directory, 'id'), knownHosts: join(directory, 'known_hosts') }
  writeFileSync(files.identityFile, key, { mode: 0o600 })
  writeFileSync(files.knownHosts, knownHosts)
  return files
}

function authenticate(context: AuthContext, allowed: string): void {
  if (context.method !== 'publickey' || context.username !== 'git') return context.reject(['publickey'])
  const key = ssh2.utils.parseKey(allowed)
  if (key instanceof Error || !key.getPublicSSH().equals(context.key.data)) return context.reject(['publickey'])
  const { blob, signature, hashAlgo } = context
  if (signature === undefined || (blob !== undefined && key.verify(blob, signature, hashAlgo))) context.accept()
  else context.reject(['publickey'])
}

function runCommand(
  { command, environment }: SshCommand,
  channel: ServerChannel,
  { home, mostBytes, cut }: { readonly home: string; readonly mostBytes: number; readonly cut: () => void },
): void {
  const child = spawn('sh', ['-c', command], { cwd: home, env: { ...gitEnvironment(), ...environment } })
  let left = mostBytes
  child.stdin.on('error', () => undefined)
  channel.pipe(child.stdin)
  child.stdout.on('data', (chunk: Buffer) => {
    channel.write(chunk.subarray(0, left))
    left -= chunk.length
    if (left <= 0) cut()
  })
  child.stderr.pipe(channel.stderr, { end: false })
  child.on('close', (code) => {
    channel.exit(code ?? 255)
    channel.end()
  })
}
