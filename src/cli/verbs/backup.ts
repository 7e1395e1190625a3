import type { Command } from 'commander'
import { resolve } from 'node:path'
import { printable } from '../../lib/text/printable.js'
import { shellWord } from '../../lib/text/shell-word.js'
import type { Restored } from '../../store/copies.js'
import { exitCode } from '../exit-code.js'
import type { Declare } from '../invocation.js'
import { numberOf } from '../text/short-forms.js'

export function addBackupVerb(program: Command, declare: Declare): void {
  const backup = {
    usage: 'backup FILE',
    summary: 'back up the database while the agent runs',
    example: 'backup gitmoor-backup.db',
    options: [
      ['--with-key', 'include the encryption key and the API token; keep the file secret'],
      ['--force', 'replace an existing file'],
    ],
    notes:
      'Restore it with `gitmoor restore FILE`. The backup contains stacks, ownership, history and the data of the ' +
      'embedded platform. It does not contain clones of repositories; the agent fetches them again. Without the key, ' +
      'applies in progress cannot be undone after a restore.',
  } as const
  declare<{ withKey?: true; force?: true }>(
    program,
    backup,
    async (cli, [file = ''], { withKey = false, force = false }) => {
      const { backupTarget, writeBackup } = await import('../files/backup-file.js')
      const target = await backupTarget(file, cli.cwd, force)
      const written = await cli.client.download('POST', '/api/v1/backup', { body: { withKey } }, (transfer) =>
        writeBackup(target, transfer),
      )
      cli.out.answer({ ...written, withKey }, () => [
        `Wrote ${printable(file)}: ${written.bytes} bytes, SHA-256 ${written.sha256}.`,
      ])
      if (withKey && !cli.out.json)
        cli.out.message(() => ['The file contains the encryption key and the API token. Keep it secret.'])
      return exitCode.ok
    },
  )
}

export function addRestoreVerb(program: Command, declare: Declare): void {
  const restore = {
    usage: 'restore FILE',
    summary: 'create a data directory from a backup',
    example: 'restore gitmoor-backup.db --data ./.gitmoor',
    options: [['--key <FILE>', 'encryption key, if the backup does not contain it']],
    notes: 'The data directory (--data, else GITMOOR_DATA, else ./.gitmoor) must be empty or must not exist.',
  } as const
  declare<{ key?: string }>(program, restore, async (cli, [file = ''], { key }) => {
    const { data } = cli.address
    const restored = await cli.restore({
      file: resolve(cli.cwd, file),
      ...(key === undefined ? {} : { key: resolve(cli.cwd, key) }),
      ...(data === undefined ? {} : { data }),
    })
    const createdAt = restored.createdAt === null ? null : new Date(restored.createdAt).toISOString()
    cli.out.answer({ ...restored, createdAt }, () => restoredLines(restored))
    return exitCode.ok
  })
}

function restoredLines({ directory, stacks, declared, createdAt, withKey, cannotUndo }: Restored): readonly string[] {
  const asOf = createdAt === null ? '' : ` as of ${new Date(createdAt).toISOString()}`
  return [
    `Restored ${numberOf(stacks, 'stack')}${asOf} to ${printable(directory)}.`,
    ...(withKey ? [] : ['The backup contains no key. The agent creates a new key and a new API token.']),
    ...(cannotUndo === 0
      ? []
      : [
          `${numberOf(cannotUndo, 'stack')} had applies in progress that cannot be undone. The next sync continues them.`,
        ]),
    'Vetoes, pins and suspensions that are newer than the backup are not in it.',
    'The agent polls every source and reads every target before it applies anything.',
    declared === 0
      ? `  next: Start it: gitmoor agent --data ${shellWord(directory)}`
      : `  next: Start it with the file that declares ${declared} of them: gitmoor agent --config FILE --data ${shellWord(directory)}`,
  ]
}
