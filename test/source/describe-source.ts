// What every kind of source promises, as the port says. Each adapter runs it over something real.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type SourceSpec, sourceRef } from '../../src/model/sources/source-spec.js'
import type { SourceRevision, Source } from '../../src/source/source.js'
import { errorOf, never } from './git-world.js'

/** A source that can be written to. */
export interface Written extends AsyncDisposable {
  readonly source: Source
  readonly spec: SourceSpec
  /** From now on its one package file has this text. */
  write(text: string): Promise<void>
}

const desired = (path: string): boolean => /\.ya?ml$/.test(path)

export function describeSource(kind: string, open: () => Promise<Written>): void {
  describe(`a source of kind ${kind}`, () => {
    let written: Written
    let remote: string
    beforeEach(async () => {
      written = await open()
      remote = written.source.remoteOf(written.spec, 'boards')
    })
    afterEach(() => written[Symbol.asyncDispose]())

    async function stateNow(): Promise<string> {
      const ref = sourceRef(written.spec)
      const seen = (await written.source.poll(remote, [ref], never)).get(ref)
      expect(seen).not.toBeInstanceOf(Error)
      return (seen as SourceRevision).state
    }
    async function textAt(state: string): Promise<string> {
      await written.source.fetch(remote, state, never)
      const files = await written.source.files(remote, state, '', desired, never)
      expect(files).toHaveLength(1)
      expect(files[0]!.path).toMatch(/^[\w-]+\.yml$/)
      return Buffer.from(files[0]!.bytes).toString('utf8')
    }

    test('has one name for its remote', () => {
      expect(written.source.remoteOf(written.spec, 'boards')).toBe(remote)
    })

    test('is at the same state as long as nothing changed', async () => {
      await written.write('a: 1\n')
      const state = await stateNow()
      expect(state).toMatch(written.spec.kind === 'git' ? /^sha1:[0-9a-f]{40}$/ : /^sha256:[0-9a-f]{64}$/)
      expect(await stateNow()).toBe(state)
    })

    test('is read as before after what others keep was removed, and also when nothing was to be kept of it', async () => {
      await written.write('a: 1\n')
      const state = await stateNow()
      expect(await textAt(state)).toBe('a: 1\n')
      expect(await written.source.keepOnly({ remotes: [remote], undecided: [] })).toBe(0)
      expect(await textAt(state)).toBe('a: 1\n')
      await written.source.keepOnly({ remotes: [], undecided: [] })
      expect(await textAt(await stateNow())).toBe('a: 1\n')
    })

    test('is at another state, with other content, after a change', async () => {
      await written.write('a: 1\n')
      const one = await stateNow()
      const content = await written.source.content(remote, one, '')
      expect(await textAt(one)).toBe('a: 1\n')
      await written.write('a: 2\n')
      const two = await stateNow()
      expect(two).not.toBe(one)
      expect(await written.source.content(remote, two, '')).not.toBe(content)
      expect(await textAt(two)).toBe('a: 2\n')
    })

    test('gives the id that git gives to a file', async () => {
      await written.write('a: 1\n')
      const [file] = await written.source.files(remote, await stateNow(), '', desired, never)
      expect(file!.id).toBe('a8926a52d8dcba5c4386945476ab6a2ad008afd4')
    })

    test('returns only included files', async () => {
      await written.write('a: 1\n')
      expect(await written.source.files(remote, await stateNow(), '', () => false, never)).toEqual([])
    })

    test('has nothing at a path that is not there', async () => {
      await written.write('a: 1\n')
      expect(await written.source.content(remote, await stateNow(), 'nowhere')).toBeUndefined()
    })

    test('never gives one state for another', async () => {
      await written.write('a: 1\n')
      const state = await stateNow()
      const other = state.replace(/:.*/, `:${'1'.repeat(state.length - state.indexOf(':') - 1)}`)
      expect((await errorOf(written.source.fetch(remote, other, never))).name).toMatch(/^(Rejected|Unavailable)$/)
      expect((await errorOf(written.source.files(remote, other, '', desired, never))).name).toMatch(
        /^(Rejected|Unavailable)$/,
      )
    })
  })
}
