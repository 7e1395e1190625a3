/** The port with these members in place of its own. */
export function overriding<T extends object>(port: T, members: Partial<T>): T {
  return new Proxy(port, {
    get: (target, name): unknown => {
      if (name in members) return members[name as keyof T]
      const own: unknown = Reflect.get(target, name, target)
      return typeof own === 'function' ? (own.bind(target) as unknown) : own
    },
  })
}
