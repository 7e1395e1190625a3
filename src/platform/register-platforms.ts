// Checks platforms against the contract before anything uses them.
import { Rejected } from '../model/errors.js'
import type { Kinds, Platform, PlatformDescription } from './platform.js'

/** Platforms are loaded at run time, so their version may be any number. */
const contractVersion: number = 1

/** The opened platforms by name. Errors: `Rejected` platform/contract with every problem, of the descriptions too. */
export function registerPlatforms(
  described: readonly (Pick<PlatformDescription, 'name' | 'version'> &
    Partial<Pick<PlatformDescription, 'settings'>>)[],
  opened: readonly Platform[],
): ReadonlyMap<string, Platform> {
  const byName = new Map(opened.map((platform) => [platform.name, platform]))
  const problems = [
    ...contractProblems(described),
    ...contractProblems(opened),
    ...described.filter(({ name }) => !byName.has(name)).map(({ name }) => `Platform ${name} was not opened.`),
    ...described.flatMap(({ name, settings }) =>
      ofEveryTarget
        .filter((key) => settings !== undefined && key in settings.shape)
        .map((key) => `Platform ${name} has a setting "${key}", which every target has.`),
    ),
    ...opened.filter(hasPartOfKinds).map(({ name }) => `Platform ${name} has only a part of its kinds: ${allOrNone}.`),
    ...opened.filter(hasNoPlace).map(({ name, places }) => `Platform ${name} has ${places} places: give 1 or more.`),
  ]
  if (problems.length === 0) return byName
  throw new Rejected([...new Set(problems)].join(' '), {
    code: 'platform/contract',
    hint: 'Install versions of the platform and of gitmoor that belong together: docs/reference/platform-contract.md',
  })
}

/** True if the kinds of its targets are known before it connects. */
export function hasKinds(platform: Platform): platform is Platform & Kinds {
  return platform.kinds !== undefined
}

/** Fields of a target that are no setting of its platform. */
const ofEveryTarget: readonly string[] = ['name', 'platform', 'labels', 'stacks', 'refused']

const allOrNone = 'give `kinds`, `kind` and `explainUnknownKind`, or none of them'

function contractProblems(
  platforms: readonly { readonly name: string; readonly version: number }[],
): readonly string[] {
  return platforms.flatMap(({ name, version }, at) => [
    ...(version === contractVersion
      ? []
      : [`Platform ${name} has version ${version} of the platform contract; this gitmoor has ${contractVersion}.`]),
    ...(/^[a-z][a-z0-9-]{0,39}$/.test(name)
      ? []
      : [`The platform name ${JSON.stringify(name)} is not 1 to 40 of a-z, 0-9 and -.`]),
    ...(platforms.findIndex((one) => one.name === name) === at ? [] : [`Two platforms have the name ${name}.`]),
  ])
}

function hasNoPlace({ places = 1 }: Platform): boolean {
  return !Number.isInteger(places) || places < 1
}

function hasPartOfKinds({ kinds, kind, explainUnknownKind }: Platform): boolean {
  const given = [kinds, kind, explainUnknownKind].filter((one) => one !== undefined).length
  return given > 0 && given < 3
}
