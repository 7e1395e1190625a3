// Which modules the command line has in two files: opening a file takes longer than compiling what is in it. `main.ts`
// is in neither: it waits for the agent, which imports the shared ones.

/** Packages that each start of the command line may compile. */
const smallPackages = /[\\/]node_modules[\\/](?:commander|fastest-levenshtein)[\\/]/

/** For rolldown: the modules of the command line that need none but small packages, and what these import. */
export const commandLineGroups = [
  {
    name: (id, context) => (!isCommandLine(id) && isShared(id, context) ? 'shared' : null),
    debugName: 'shared by the command line and the agent',
    priority: 2,
  },
  {
    name: (id, context) => (isCommandLine(id) && isLight(id, context) ? 'command-line' : null),
    debugName: 'command line',
    priority: 1,
  },
]

function isCommandLine(id) {
  return /[\\/]src[\\/]cli[\\/]/.test(id) || smallPackages.test(id)
}

function isShared(id, context) {
  const users = closure(id, (one) => context.getModuleInfo(one)?.importers)
  return isLight(id, context) && [...users].some((one) => isCommandLine(one) && isLight(one, context))
}

function isLight(id, context) {
  const imports = closure(id, (one) => context.getModuleInfo(one)?.importedIds)
  return [...imports].every((one) => !/[\\/]node_modules[\\/]/.test(one) || smallPackages.test(one))
}

/** The module, and all that follow from it. */
function closure(id, next) {
  const found = new Set([id])
  for (const one of found) for (const other of next(one) ?? []) found.add(other)
  return found
}
