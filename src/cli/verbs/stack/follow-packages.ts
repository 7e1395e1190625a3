// stack discover --follow: creates a fleet of the packages of a repository.
import { printable } from '../../../lib/text/printable.js'
import type { FleetDocument } from '../../../settings/documents/fleet-document.js'
import type { DiscoveryView } from '../../../views/packages/discovery.js'
import type { FleetPlanView, FleetRow, FleetView } from '../../../views/fleet.js'
import { maximumListItems, readPages } from '../../client/all-pages.js'
import { fleetPath } from '../../client/fleet-path.js'
import { confirm, type ConfirmOptions } from '../../confirm.js'
import { usageErrors } from '../../errors/usage-errors.js'
import { exitCode } from '../../exit-code.js'
import type { Invocation } from '../../invocation.js'
import { discoveryLines } from '../../text/discovery-text.js'
import { fleetChangeLines, fleetPlanLines } from '../../text/fleet-text.js'
import { problemLines } from '../../text/problem-text.js'
import { numberOf } from '../../text/short-forms.js'

/** `fleet`: its name. The others: of all of its stacks. */
export interface FollowSettings {
  readonly fleet: string
  readonly prefix?: string | undefined
  readonly target?: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

type DirectoriesDocument = FleetDocument & { readonly directories: NonNullable<FleetDocument['directories']> }

/** Shows the stacks, asks, and creates the fleet. */
export async function followPackages(
  cli: Invocation,
  found: DiscoveryView,
  settings: FollowSettings,
  options: ConfirmOptions,
): Promise<number> {
  const { fleet } = settings
  const fleets = await readPages<FleetRow>(cli.client, '/api/v1/fleets', {}, maximumListItems)
  if (fleets.items.some(({ name }) => name === fleet)) throw usageErrors.fleetExists(fleet)
  const first = fleetOfPackages(found, settings)
  if (first === undefined) throw usageErrors.nothingToFollow()
  const plan = (document: FleetDocument): Promise<FleetPlanView> =>
    cli.client.request('POST', fleetPath(fleet, 'plan'), { body: { fleet: document } })
  const document = withoutOthers(first, await plan(first), found)
  const planned = await plan(document)
  if (!cli.out.json) cli.out.message((display) => discoveryLines(found, display))
  if (planned.problems.length > 0) {
    cli.out.answer({ ...found, plan: planned }, (display) => fleetPlanLines(planned, display))
    return exitCode.error
  }
  await confirm(cli, `Create fleet ${fleet} with ${numberOf(planned.directories ?? 0, 'stack')}?`, options)
  const applied = await cli.client.request<{ readonly fleet: FleetView; readonly changes: FleetPlanView['changes'] }>(
    'PUT',
    fleetPath(fleet),
    { body: document },
  )
  const problems = applied.fleet.listing?.problems ?? []
  cli.out.answer({ ...found, ...applied }, (display) => [
    `Created fleet ${printable(fleet)}. New directories become stacks: gitmoor fleet get ${printable(fleet)}`,
    ...fleetChangeLines(applied.changes, applied.fleet, display),
    ...problems.flatMap((one) => problemLines(one, display.style)),
  ])
  return problems.length === 0 ? exitCode.ok : exitCode.error
}

/**
 * A fleet of the packages, and of those that appear beside them. Without packages that a stack reads already or that
 * include others. undefined: there is none.
 */
function fleetOfPackages(
  { url, ref, packages }: DiscoveryView,
  { fleet, prefix = '', target, labels }: FollowSettings,
): DirectoriesDocument | undefined {
  const isFollowed = ({ path, stack, includes }: DiscoveryView['packages'][number]): boolean =>
    path !== '' && stack === null && includes.length === 0
  const followed = packages.filter(isFollowed)
  if (followed.length === 0) return undefined
  const include = [...new Set(followed.map(({ path }) => `${path.slice(0, path.lastIndexOf('/') + 1)}*`))]
  const exclude = packages.filter((one) => one.path !== '' && !isFollowed(one)).map(({ path }) => path)
  return {
    name: fleet,
    directories: { repo: url, ref, include, exclude, name: `${prefix}{path}` },
    template: { ...(target === undefined ? {} : { target }), labels },
    maxStacks: Math.max(100, 2 * followed.length),
  }
}

/** Excludes directories that match and are no packages: their files are of other tools. */
function withoutOthers(
  document: DirectoriesDocument,
  { changes }: FleetPlanView,
  found: DiscoveryView,
): DirectoriesDocument {
  const packages = new Set(found.packages.map(({ path }) => path))
  const others = changes.flatMap(({ path }) => (path === null || packages.has(path) ? [] : [path]))
  const { directories } = document
  return { ...document, directories: { ...directories, exclude: [...(directories.exclude ?? []), ...others] } }
}
