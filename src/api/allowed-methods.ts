/**
 * The methods that routes know for a path; none: there is no such path. `routes` as Hono lists them: `/stacks/:name`,
 * middleware as method ALL.
 */
export function allowedMethods(
  routes: readonly { readonly method: string; readonly path: string }[],
  path: string,
): readonly string[] {
  const methods = routes
    .filter((route) => route.method !== 'ALL' && matches(route.path, path))
    .map((route) => route.method)
  return [...new Set(methods)].sort()
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  )
}
