// Loads a .ts file where a .js file is named that is not there.
import { readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/experimental'

export function resolve(specifier, context, next) {
  if (!/^(?:\.{1,2}\/|file:)/.test(specifier) || !specifier.endsWith('.js')) return next(specifier, context)
  const url = new URL(specifier, context.parentURL)
  const source = new URL(url.href.replace(/\.js$/, '.ts'))
  if (existsSync(url) || !existsSync(source)) return next(specifier, context)
  return { url: source.href, format: 'module', shortCircuit: true }
}

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const path = fileURLToPath(url)
  const { code } = transformSync(path, await readFile(path, 'utf8'))
  return { format: 'module', source: code, shortCircuit: true }
}
