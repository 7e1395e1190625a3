// Keys of real programs for tests: gpg with a home of its own, ssh-keygen; and tags and commits that git signs with
// them.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gitEnvironment } from './git-server.js'

const run = promisify(execFile)

export const hasGpg = isThere('gpg')
export const hasSshKeygen = isThere('ssh-keygen')

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}

/** A home of gpg, in which keys have no passphrase. To be closed: its agent ends. */
export class GpgHome implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'gitmoor-gpg-'))
  readonly environment = { ...gitEnvironment(), GNUPGHOME: this.directory, TZ: 'UTC' }

  /** `validity` as gpg has it: `2y`. Gives the fingerprint. */
  async newKey(name: string, algorithm: string, validity: string, subkey?: string): Promise<string> {
    await this.gpg('--quick-gen-key', `${name} <${name}@example.com>`, algorithm, 'sign', validity)
    const listed = await this.gpg('--with-colons', '--list-keys', `${name}@example.com`)
    const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(listed)![1]!
    if (subkey !== undefined) await this.gpg('--quick-add-key', fingerprint, subkey, 'sign', validity)
    return fingerprint
  }

  export(name: string): Promise<string> {
    return this.gpg('--armor', '--export', `${name}@example.com`)
  }

  /** As if its owner had lost it. */
  async revoke(fingerprint: string): Promise<void> {
    const file = join(this.directory, 'openpgp-revocs.d', `${fingerprint}.rev`)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^:-----BEGIN/m, '-----BEGIN'))
    await this.gpg('--import', file)
  }

  /** Armoured. */
  sign(payload: Buffer, ...options: readonly string[]): string {
    return execFileSync('gpg', [...quiet, '--armor', '--output', '-', ...options], {
      env: this.environment,
      input: payload,
      encoding: 'utf8',
    })
  }

  async gpg(...args: readonly string[]): Promise<string> {
    return (await run('gpg', [...quiet, ...args], { env: this.environment })).stdout
  }

  [Symbol.dispose](): void {
    spawnSync('gpgconf', ['--kill', 'all'], { env: this.environment })
    rmSync(this.directory, { recursive: true, force: true })
  }
}

const quiet = ['--batch', '--quiet', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', '']

/** Makes a key of SSH at a path; gives the line of its public half. */
export function newSshKey(path: string, type: string, ...options: readonly string[]): string {
  mkdirSync(join(path, '..'), { recursive: true })
  if (!existsSync(path)) execFileSync('ssh-keygen', ['-q', '-t', type, ...options, '-N', '', '-C', 'test', '-f', path])
  return readFileSync(`${path}.pub`, 'utf8').trim()
}

/** How git signs. `key`: a fingerprint, or the path of a key of SSH. */
export interface SigningWith {
  readonly key: string
  readonly gpg?: GpgHome
}

/** Git in a directory, its signatures made so. */
export async function signingGit(
  directory: string,
  { key, gpg }: SigningWith,
  ...args: readonly string[]
): Promise<string> {
  const format = gpg === undefined ? 'ssh' : 'openpgp'
  const settings = ['-c', `gpg.format=${format}`, '-c', `user.signingkey=${key}`]
  const { stdout } = await run('git', [...settings, ...args], {
    cwd: directory,
    env: gpg?.environment ?? gitEnvironment(),
  })
  return stdout.trim()
}
