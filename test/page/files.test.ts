// The built files of the page: what is served, how, and how much it is.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PageFiles } from '../../src/page/page.js'

const directory = join(import.meta.dirname, '..', '..', 'dist', 'web')
const page = new PageFiles(directory)
const ask = (path: string, headers = {}) => page.answer({ path, acceptEncoding: '', ifNoneMatch: '', ...headers })
const gzipped = (name: string): number => readFileSync(join(directory, `${name}.gz`)).length
const assets = readdirSync(join(directory, 'assets')).filter((name) => /\.(js|css)$/.test(name))

describe('a file', () => {
  test('of a view is index.html, and is checked at each visit', () => {
    const answer = ask('/stacks/boards/plan')!
    expect(answer.headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' })
    expect(ask('/', { ifNoneMatch: answer.headers['ETag'] })).toMatchObject({ status: 304, body: null })
  })

  test('with a digest in its name never changes, and is sent compressed', () => {
    const name = assets.find((asset) => gzippedExists(asset))!
    const answer = ask(`/assets/${name}`, { acceptEncoding: 'gzip, br' })!
    expect(answer.headers).toMatchObject({ 'Content-Encoding': 'br', Vary: 'Accept-Encoding' })
    expect(answer.headers['Cache-Control']).toContain('immutable')
    expect(ask(`/assets/${name}`, { acceptEncoding: 'gzip;q=1, br;q=0' })!.headers['Content-Encoding']).toBe('gzip')
  })

  test.each([
    '/api',
    '/api/v1/nothing',
    '/hooks/x',
    '/metrics',
    '/other',
    '/index.html',
    '/assets/../../main.js',
    '/icon.svg.br',
  ])('does not exist at %s', (path) => {
    expect(ask(path)).toBeUndefined()
  })

  test('allows no script but its own', () => {
    const { headers, body } = ask('/')!
    expect(headers['Content-Security-Policy']).toContain("script-src 'self'")
    expect(headers['Content-Security-Policy']).toContain("trusted-types 'none'")
    expect(new TextDecoder().decode(body ?? undefined)).not.toMatch(/<script(?![^>]*\bsrc=)|<style|style=/)
  })
})

describe('the size', () => {
  const index = readFileSync(join(directory, 'index.html'), 'utf8')
  const first = assets.filter((name) => index.includes(name))

  test('of the first view is at most 60 kB, in at most three files', () => {
    expect(first.length).toBeGreaterThan(0)
    expect(first.length).toBeLessThanOrEqual(3)
    expect(first.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(60_000)
  })

  test('of all files is at most 100 kB, and of each script at most 40 kB', () => {
    expect(assets.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(100_000)
    expect(Math.max(...assets.map(sizeOf))).toBeLessThan(40_000)
  })
})

function gzippedExists(name: string): boolean {
  return readdirSync(join(directory, 'assets')).includes(`${name}.gz`)
}

/** gzip; small files are sent as they are. */
function sizeOf(name: string): number {
  return gzippedExists(name) ? gzipped(join('assets', name)) : readFileSync(join(directory, 'assets', name)).length
}
