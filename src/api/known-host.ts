// A browser that was lured to a foreign name sends that name as Host: only known names are answered (DNS rebinding).
import type { MiddlewareHandler } from 'hono'
import type { ApiEnv } from './asked.js'
import { Misdirected } from './http-refusal.js'

/**
 * Refuses requests whose `Host` is neither a loopback name nor one of `hosts` (`name` for any port, or `name:port`).
 */
export function knownHost(hosts: readonly string[]): MiddlewareHandler<ApiEnv> {
  const known = new Set(hosts.map((host) => host.toLowerCase()))
  return async (c, next) => {
    const host = (c.req.header('host') ?? new URL(c.req.url).host).toLowerCase()
    if (!isKnownHost(host, known)) throw new Misdirected()
    await next()
  }
}

export function isKnownHost(host: string, known: ReadonlySet<string>): boolean {
  const name = host.replace(/:\d{1,5}$/, '')
  return isLoopback(name) || known.has(host) || known.has(name)
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
