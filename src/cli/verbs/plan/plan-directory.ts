// `plan NAME --dir DIR`: what the files of a local directory would change.
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { replaceableSource, sourcePath } from '../../../model/sources/source-spec.js'
import type { PlanView } from '../../../views/plan.js'
import type { StackView } from '../../../views/stack.js'
import { agentErrors } from '../../errors/agent-errors.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { stackPath } from '../../client/stack-path.js'
import { readPackageTexts, refuseNoPackage } from '../../files/package-texts.js'
import type { Invocation } from '../../invocation.js'
import { sayingPollWait } from '../sync/poll-wait.js'

/** The path in an archive may begin with `*`, the only folder at the top of the archive. */
const archiveRoot = /^\*\/?/

/** `directory` replaces the root of the source: its files are below the path of the stack. */
export async function planDirectory(cli: Invocation, name: string, directory: string): Promise<PlanView> {
  const { sources } = (await cli.client.request<StackView>('GET', stackPath(name))).spec
  const at = replaceableSource(sources)
  if (at === undefined) throw usageErrors.severalSources(name, sources.length)
  const below = sourcePath(sources[at]!).replace(archiveRoot, '')
  // Only files of the directory are sent, whatever the agent answers.
  if (below.split('/').includes('..')) throw agentErrors.pathOutside(below, directory)
  const path = join(directory, below)
  const root = resolve(cli.cwd, directory)
  if (existsSync(root) && !existsSync(join(root, below)))
    throw usageErrors.noPathInDirectory(
      name,
      directory,
      below,
      rootAbove(root, directory, below) ?? rootBelow(root, directory, below),
    )
  const files = await readPackageTexts(resolve(cli.cwd, path))
  refuseNoPackage(files, path)
  const request = cli.client.request<PlanView>('POST', stackPath(name, 'plan-files'), { body: { files } })
  return sayingPollWait(cli, name, request)
}

/** For the directory of a clone that contains `dashboards`: that clone, if it is the only one. */
function rootBelow(at: string, directory: string, below: string): string | undefined {
  const folders = readdirSync(at, { withFileTypes: true }).filter((one) => one.isDirectory())
  const roots = folders.slice(0, mostSearched).filter(({ name }) => existsSync(join(at, name, below)))
  return roots.length === 1 ? join(directory, roots[0]!.name) : undefined
}

const mostSearched = 200

/** For `boards/dashboards` and the path `dashboards`: `boards`. */
function rootAbove(at: string, directory: string, below: string): string | undefined {
  const steps = below.split('/').filter((step) => step !== '')
  if (
    !at
      .split(sep)
      .slice(-steps.length)
      .every((step, nth) => step === steps[nth])
  )
    return undefined
  return join(directory, ...steps.map(() => '..'))
}
