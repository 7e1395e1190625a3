import type { Command } from 'commander'
import { resolve } from 'node:path'
import type { Restored } from '../../store/copies.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'

export function addBackupVerb(program: Command, declare: Declare): void {
  const backup = {
    usage: 'backup FILE',
    summary: 'copy the database to a file while the agent runs',
    example: 'backup gitmoor-backup.db',
    options: [
      ['--with-key', 'put the key and the token into the file, which then is a secret'],
      ['--force', 'replace a file that is there'],
    ],
    notes: `FILE is for \`gitmoor restore\`. It holds stacks, what they own, history and what is on the
embedded platform; copies of repositories are not in it, for they are fetched again.
Without the key what is being applied at this moment cannot be undone after a restore;
everything else can.`,
  } as const
  declare<{ withKey?: true; force?: true }>(
    program,
    backup,
    async (at, [file = ''], { withKey = false, force = false }) => {
      const { backupTarget, writeBackup } = await import('../files/backup-file.js')
      const target = backupTarget(file, at.cwd, force)
      const written = await at.client.download('POST', '/api/v1/backup', { body: { withKey } }, (coming) =>
        writeBackup(target, coming),
      )
      at.out.answer({ ...written, withKey }, () => [
        `Written to ${file}: ${written.bytes} bytes, SHA-256 ${written.sha256}.`,
      ])
      if (withKey && !at.out.json)
        at.out.message(() => ['It holds the key and the token of the agent: keep it as you keep a password.'])
      return exitCode.ok
    },
  )
}

export function addRestoreVerb(program: Command, declare: Declare): void {
  const restore = {
    usage: 'restore FILE',
    summary: 'make a data directory from a backup, before the agent is started',
    example: 'restore gitmoor-backup.db --data ./.gitmoor',
    options: [['--key <FILE>', 'the key that belongs to the backup, where it does not hold it']],
    notes: 'The data directory (--data, else GITMOOR_DATA, else ./.gitmoor) must be empty or not there.',
  } as const
  declare<{ key?: string }>(program, restore, async (at, [file = ''], { key }) => {
    const { data } = at.address
    const restored = await at.restore({
      file: resolve(at.cwd, file),
      ...(key === undefined ? {} : { key: resolve(at.cwd, key) }),
      ...(data === undefined ? {} : { data }),
    })
    const createdAt = restored.createdAt === null ? null : new Date(restored.createdAt).toISOString()
    at.out.answer({ ...restored, createdAt }, () => restoredLines(restored))
    return exitCode.ok
  })
}

function restoredLines({ directory, stacks, createdAt, withKey, cannotUndo }: Restored): readonly string[] {
  const of = createdAt === null ? '' : ` as of ${new Date(createdAt).toISOString()}`
  const first = `Restored ${stacks} ${stacks === 1 ? 'stack' : 'stacks'}${of} to ${directory}.`
  const key = withKey ? [] : ['The key is not in it: a new one is made, and a new token.']
  const open =
    cannotUndo === 0
      ? []
      : [
          `${cannotUndo} ${cannotUndo === 1 ? 'stack was' : 'stacks were'} being applied: what was done cannot be undone, and the next sync goes on from what is there.`,
        ]
  return [first, ...key, ...open, 'Start the agent: every stack looks at its source and at its target first.']
}
