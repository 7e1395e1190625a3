// What archives hold, and everything that may be wrong with one. They are made by hand: no program makes such.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { SyncError } from '../../../src/model/errors.js'
import { filesOfArchive, listArchive } from '../../../src/source/archive/archive.js'
import { detectArchiveFormat } from '../../../src/source/archive/archive-format.js'
import type { SourceLimits } from '../../../src/source/source.js'
import { pax, tarGz, tarOf, zipOf, type TarEntry, type ZipEntry } from '../../archives.js'
import { seeded } from '../../package/seeded.js'
import { errorOf, LIMITS, never } from '../git-world.js'
import { cpuMs } from '../../cpu-time.js'

const shown = 'https://files.example.com/boards'
const isYaml = (path: string): boolean => path.endsWith('.yml')

async function filesOf(
  body: Buffer,
  path = '',
  limits: SourceLimits = LIMITS,
): Promise<Readonly<Record<string, string>>> {
  const format = detectArchiveFormat(body)!
  const files = await filesOfArchive({ body, format, shown, limits }, path, isYaml, never)
  return Object.fromEntries(files.map((file) => [file.path, Buffer.from(file.bytes).toString('utf8')]))
}

async function contentOf(body: Buffer, path = ''): Promise<string | undefined> {
  const listing = await listArchive({ body, format: detectArchiveFormat(body)!, shown, limits: LIMITS }, never)
  return listing.contentAt(path)
}

const refused = (body: Buffer, path?: string, limits?: SourceLimits): Promise<Error> =>
  errorOf(filesOf(body, path, limits))

const one: readonly { readonly name: string; readonly data?: string }[] = [{ name: 'a/b.yml', data: 'b: 1\n' }]
const formats: Readonly<Record<string, (entries: readonly (TarEntry & ZipEntry)[]) => Buffer>> = {
  'a tar archive': (entries) => tarOf(entries),
  'a tar archive packed with gzip': (entries) => tarGz(entries),
  'a zip archive': (entries) => zipOf(entries),
}

describe.each(Object.entries(formats))('%s', (_, make) => {
  test('returns its files in byte order of their paths, and only requested ones', async () => {
    const body = make([
      { name: 'z.yml', data: 'z' },
      { name: 'a/', type: '5', mode: 0o040755 },
      ...one,
      { name: 'a/c.txt', data: 'c' },
    ])
    expect(Object.entries(await filesOf(body))).toEqual([
      ['a/b.yml', 'b: 1\n'],
      ['z.yml', 'z'],
    ])
  })

  test('is read below a path, of a folder and of a file', async () => {
    const body = make([...one, { name: 'ab/c.yml', data: 'c' }])
    expect(await filesOf(body, 'a')).toEqual({ 'b.yml': 'b: 1\n' })
    expect(await filesOf(body, 'a/b.yml')).toEqual({ 'b.yml': 'b: 1\n' })
    expect(await refused(body, 'b')).toMatchObject({
      code: 'source/path-missing',
      message: `There is no "b" in ${shown}.`,
    })
  })

  test('is read below its only folder where the path begins with *', async () => {
    const body = make([{ name: 'README' }, { name: 'boards-1.2/a/b.yml', data: 'b' }])
    expect(await filesOf(body, '*')).toEqual({ 'a/b.yml': 'b' })
    expect(await filesOf(body, '*/a')).toEqual({ 'b.yml': 'b' })
    expect(await refused(body, '*/x')).toMatchObject({ code: 'source/path-missing', path: 'boards-1.2/x' })
    const two = make([{ name: 'x/a.yml' }, { name: 'y/a.yml' }])
    expect((await refused(two, '*')).message).toContain('has the folders "x", "y" at its top: "*" needs exactly one.')
    expect((await refused(make([{ name: 'a.yml' }]), '*')).message).toContain('has no folder at its top')
  })

  test('has equal content if the files below the path are equal, regardless of order, other files and top folder', async () => {
    const before = make([
      { name: 'v1/p/a.yml', data: 'a' },
      { name: 'v1/p/b.txt', data: 'b' },
      { name: 'v1/x', data: '1' },
    ])
    const after = make([
      { name: 'v2/x', data: '2' },
      { name: 'v2/p/b.txt', data: 'b' },
      { name: './v2/p/a.yml', data: 'a' },
    ])
    expect(await contentOf(before, '*/p')).toBe(await contentOf(after, '*/p'))
    expect(await contentOf(before, '*')).not.toBe(await contentOf(after, '*'))
    const moved = make([
      { name: 'v2/p/c.yml', data: 'a' },
      { name: 'v2/p/b.txt', data: 'b' },
    ])
    expect(await contentOf(moved, '*/p')).not.toBe(await contentOf(after, '*/p'))
    expect(await contentOf(before, 'p')).toBeUndefined()
  })

  test('has two equal files, of which one is selected', async () => {
    expect(
      await filesOf(
        make([
          { name: 'a.txt', data: 'x' },
          { name: 'a.yml', data: 'x' },
          { name: 'b.txt', data: 'x' },
        ]),
      ),
    ).toEqual({ 'a.yml': 'x' })
  })

  const paths: Readonly<Record<string, string>> = {
    '/etc/a.yml': 'is an absolute path',
    'C:/a.yml': 'is an absolute path',
    'c:a.yml': 'is an absolute path',
    '../a.yml': 'leaves the archive',
    'a/../../b.yml': 'leaves the archive',
    'a\\b.yml': 'has a backslash in its name',
    'a//b.yml': 'has an empty name in its path',
    'a/./b.yml': 'has an empty name in its path',
  }
  test.each(Object.entries(paths))('with %s is refused by that name: it %s', async (name, why) => {
    const error = await refused(make([...one, { name, data: 'x' }]), 'a')
    expect(error).toMatchObject({ code: 'source/unsafe-archive', message: `"${name}" in ${shown} ${why}.` })
  })

  const names: Readonly<Record<string, readonly string[]>> = {
    'means ".git" on some file systems': ['p/.GIT/config'],
    'is the same name as "A.yml" on some file systems': ['p/A.yml', 'p/a.yml'],
  }
  test.each(Object.entries(names))(
    'with a name that %s is refused where it is read, and not beside it',
    async (why, entries) => {
      const body = make([...entries.map((name) => ({ name, data: 'x' })), ...one])
      expect((await refused(body)).message).toContain(why)
      expect(await filesOf(body, 'a')).toEqual({ 'b.yml': 'b: 1\n' })
    },
  )

  test('with the same name in two Unicode forms is refused where it is read', async () => {
    expect((await refused(make([{ name: 'é.yml' }, { name: 'e\u0301.yml' }]))).message).toContain('is the same name as')
  })

  test('with a name twice, or a file in place of a folder, is refused by name', async () => {
    for (const [first, second] of [
      ['a.yml', 'a.yml'],
      ['a', 'a/b.yml'],
      ['a/b.yml', 'a'],
    ])
      expect(await refused(make([{ name: first! }, { name: second! }]))).toMatchObject({
        code: 'source/unsafe-archive',
        message: `"${second}" in ${shown} is there twice.`,
      })
  })

  test('with a symbolic link to anywhere is refused by name if the link is selected, and only then', async () => {
    const body = make([{ name: 'p/a.yml', type: '2', link: '/etc/passwd', mode: 0o120777, data: '' }, ...one])
    expect(await refused(body)).toMatchObject({ code: 'source/symbolic-link', path: 'p/a.yml' })
    expect(await filesOf(body, 'a')).toEqual({ 'b.yml': 'b: 1\n' })
  })

  test('with a requested pipe or device is refused by name', async () => {
    for (const [type, mode, what] of [
      ['6', 0o010644, 'a pipe'],
      ['3', 0o020644, 'a device'],
      ['4', 0o060644, 'a device'],
    ] as const)
      expect(await refused(make([{ name: 'p.yml', type, mode }]))).toMatchObject({
        code: 'source/unsafe-archive',
        message: `"p.yml" in ${shown} is ${what}.`,
      })
  })

  test('is bounded in its files, their bytes, its entries and its depth', async () => {
    const many = Array.from({ length: 30 }, (_, at) => ({ name: `${at}.yml`, data: 'a'.repeat(2000) }))
    expect(await refused(make(many), '', { ...LIMITS, files: 20 })).toMatchObject({ code: 'source/too-many-files' })
    expect(await refused(make(many), '', { ...LIMITS, files: 1 })).toMatchObject({ code: 'source/too-many-files' })
    expect(await refused(make(many), '', { ...LIMITS, fileBytes: 1999 })).toMatchObject({
      code: 'source/file-too-large',
      path: '0.yml',
    })
    expect(await refused(make(many), '', { ...LIMITS, totalBytes: 10_000 })).toMatchObject({
      code: 'source/files-too-large',
    })
    expect(await refused(make([{ name: `${'d/'.repeat(6)}a.yml` }]), '', { ...LIMITS, depth: 5 })).toMatchObject({
      code: 'source/too-deep',
    })
  })

  test('that is a pointer of Git LFS in part is refused by name', async () => {
    const data = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'
    expect(await refused(make([{ name: 'a.yml', data }]))).toMatchObject({ code: 'source/lfs-pointer', path: 'a.yml' })
  })

  test('that is empty has no files', async () => {
    expect(await filesOf(make([{ name: 'README' }]))).toEqual({})
  })

  test('that is cut anywhere is refused', async () => {
    const body = make([...one, { name: 'c.yml', data: 'c'.repeat(600) }])
    const format = detectArchiveFormat(body)!
    for (let length = 1; length < body.length; length += format === 'tar' ? 13 : 1) {
      const cut = { body: body.subarray(0, length), format, shown, limits: LIMITS }
      expect(await errorOf(filesOfArchive(cut, '', isYaml, never)), String(length)).toMatchObject({
        code: 'source/bad-archive',
      })
    }
  })

  test('that is followed by something is refused', async () => {
    const body = make(one)
    for (const tail of ['x', 'x'.repeat(512), 'x'.repeat(5000)])
      expect(await refused(Buffer.concat([body, Buffer.from(tail)]))).toMatchObject({ code: 'source/bad-archive' })
  })

  test('that is corrupted in hundreds of places returns its files or a clear error', async () => {
    const random = seeded(20261)
    const body = make([
      { name: 'd/', type: '5', mode: 0o040755 },
      ...one,
      { name: 'd/c.yml', data: 'c'.repeat(300) },
      { name: 'l', type: '2', link: 'x', mode: 0o120777 },
    ])
    let errors = 0
    for (let round = 0; round < 300; round++) {
      const changed = Buffer.from(body)
      for (let n = 1 + random(4); n > 0; n--) changed[random(changed.length)] = random(256)
      if (detectArchiveFormat(changed) === undefined) continue
      const said = await filesOf(changed).catch((error: unknown) => error)
      if (said instanceof Error) expect(said, `round ${round}`).toBeInstanceOf(SyncError)
      errors += said instanceof Error ? 1 : 0
    }
    expect(errors).toBeGreaterThan(50)
  })
})

test('what reads archives reaches no file of the machine', () => {
  const directory = 'src/source/archive'
  const code = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'))
  expect(code.length).toBeGreaterThan(4)
  expect(code.filter((text) => /from '(node:)?(fs|child_process|path)/.test(text))).toEqual([])
})

describe('a tar archive', () => {
  test.each(['x', 'g'])('with headers of pax (%s) has the names that they say', async (type) => {
    const name = `${'long/'.repeat(40)}a.yml`
    const before = type === 'x' ? [] : [pax({ comment: 'a1b2c3' }, 'g')]
    expect(
      Object.keys(
        await filesOf(tarOf([...before, pax({ path: name }), { name: 'short', data: 'x' }]), '', {
          ...LIMITS,
          depth: 50,
        }),
      ),
    ).toEqual([name])
  })

  test('with long names as GNU writes them has those', async () => {
    const name = `${'n'.repeat(150)}.yml`
    expect(
      Object.keys(
        await filesOf(
          tarOf([
            { name: '././@LongLink', type: 'L', data: `${name}\0` },
            { name: 'n', data: 'x' },
          ]),
        ),
      ),
    ).toEqual([name])
  })

  test('with a long name that leaves it is refused', async () => {
    expect(await refused(tarOf([pax({ path: '../../a.yml' }), { name: 'a.yml' }]))).toMatchObject({
      code: 'source/unsafe-archive',
    })
    expect(await refused(tarOf([{ name: 'x', type: 'L', data: '../a.yml\0' }, { name: 'a.yml' }]))).toMatchObject({
      code: 'source/unsafe-archive',
    })
    expect(await refused(tarOf([pax({ path: 'a/'.repeat(3000) }), { name: 'a.yml' }]))).toMatchObject({
      code: 'source/unsafe-archive',
    })
  })

  test('with a name of more than 255 bytes is refused where it is read', async () => {
    expect((await refused(tarOf([pax({ path: `${'n'.repeat(300)}.yml` }), { name: 'a.yml' }]))).message).toContain(
      'more than 255 bytes',
    )
  })

  test('with a hard link, a sparse file or an unknown type is refused by name if it is selected, and only then', async () => {
    for (const [entries, what] of [
      [[{ name: 'p/a.yml', type: '1', link: 'a/b.yml' }], 'a hard link'],
      [[pax({ 'GNU.sparse.major': '1' }), { name: 'p/a.yml', data: 'x' }], 'a sparse file'],
      [[{ name: 'p/a.yml', type: 'S' }], 'a sparse file'],
      [[{ name: 'p/a.yml', type: 'V' }], 'of an unknown type'],
    ] as const) {
      const body = tarOf([...one, ...entries])
      expect((await refused(body)).message).toMatch(new RegExp(`^"p/a.yml" in .* is .*${what}`))
      expect(await filesOf(body, 'a')).toEqual({ 'b.yml': 'b: 1\n' })
    }
  })

  test('whose name is not UTF-8 is refused where it is read', async () => {
    expect((await refused(tarOf([{ name: Buffer.from([0x61, 0xff, 0x2e, 0x79, 0x6d, 0x6c]) }]))).message).toContain(
      'is not UTF-8',
    )
  })

  test('without its end is refused, though all of its entries are there', async () => {
    expect(await refused(tarOf(one, Buffer.alloc(0)))).toMatchObject({ code: 'source/bad-archive' })
    expect(await refused(tarOf(one, Buffer.alloc(512)))).toMatchObject({ code: 'source/bad-archive' })
    expect(await filesOf(tarOf(one, Buffer.alloc(10_240)))).toHaveProperty('a/b.yml')
  })

  test.each([0o77777777777, 3000])('with a size of %s that is not so is refused', async (size) => {
    expect(await refused(tarOf([{ name: 'a.yml', data: 'x', size }]))).toMatchObject({ code: 'source/bad-archive' })
  })

  test('of several parts packed one by one is one archive', async () => {
    const whole = tarOf(one)
    expect(
      await filesOf(Buffer.concat([gzipSync(whole.subarray(0, 700)), gzipSync(whole.subarray(700))])),
    ).toHaveProperty('a/b.yml')
  })

  test('that unpacks to much more than it is, is not unpacked further', async () => {
    const bomb = gzipSync(
      Buffer.concat([tarOf([{ name: 'a.txt', size: 2 ** 30 }], Buffer.alloc(0)), Buffer.alloc(2 ** 26)]),
    )
    const before = process.memoryUsage().rss
    expect(await refused(bomb)).toMatchObject({ code: 'source/archive-too-large' })
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20)
    expect(bomb.length).toBeLessThan(100_000)
  })

  test('that unpacks to more than eight times limits.packBytes is refused', async () => {
    const noise = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7919) >> 3))
    expect(await refused(tarGz([{ name: 'a.txt', data: noise }]), '', { ...LIMITS, packBytes: 10_000 })).toMatchObject({
      code: 'source/archive-too-large',
    })
  })

  test('is not recognized in a gzip file with other content', async () => {
    expect(await refused(gzipSync('a: 1\n'))).toMatchObject({ code: 'source/bad-archive' })
  })
})

describe('a zip archive', () => {
  test('with a name of more than 255 bytes is refused where it is read', async () => {
    expect((await refused(zipOf([{ name: `${'é'.repeat(128)}.yml` }]))).message).toContain('more than 255 bytes')
  })

  test('with sizes after the data, of zip64, and not packed is read', async () => {
    const body = zipOf([
      { name: 'a.yml', data: 'a', descriptor: true },
      { name: 'b.yml', data: 'b', zip64: true },
      { name: 'c.yml', data: 'c', method: 0 },
    ])
    expect(await filesOf(body)).toEqual({ 'a.yml': 'a', 'b.yml': 'b', 'c.yml': 'c' })
    expect(await filesOf(zipOf(one, { comment: 'made by hand' }))).toHaveProperty('a/b.yml')
  })

  test('with a name that says nothing of UTF-8 has it as the first PCs wrote', async () => {
    expect(
      Object.keys(await filesOf(zipOf([{ name: Buffer.from([0x82, 0x2e, 0x79, 0x6d, 0x6c]), flags: 0, data: 'x' }]))),
    ).toEqual(['é.yml'])
  })

  const wrong: Readonly<Record<string, readonly [Buffer, string]>> = {
    'is encrypted': [zipOf([{ name: 'a.yml', data: 'x', flags: 0x801 }]), 'contains the encrypted entry "a.yml"'],
    'is packed by another method': [
      zipOf([{ name: 'a.yml', data: 'x', method: 12 }]),
      'contains "a.yml" with an unsupported compression method (12)',
    ],
    'is larger than its directory says': [
      zipOf([{ name: 'a.yml', data: 'x'.repeat(100), lie: { size: 10 } }]),
      'contains "a.yml", which is damaged or larger than announced',
    ],
    'is smaller than its directory says': [
      zipOf([{ name: 'a.yml', data: 'x', lie: { size: 10 } }]),
      'contains "a.yml", which is damaged',
    ],
    'has another checksum': [
      zipOf([{ name: 'a.yml', data: 'x', lie: { crc: 1 } }]),
      'contains "a.yml", which is damaged',
    ],
    'has another name in its directory': [
      zipOf([{ name: 'a.yml', data: 'x', lie: { name: 'b.yml' } }]),
      'has two different names for "b.yml"',
    ],
    'shares its bytes with another': [
      zipOf([
        { name: 'a.yml', data: 'x' },
        { name: 'a.yml', data: 'x', lie: { offset: 0 } },
      ]),
      'has an inconsistent directory entry for "a.yml"',
    ],
    'has more entries than it says': [
      zipOf([{ name: 'a.yml' }, { name: 'b.yml' }], { count: 1 }),
      'has an inconsistent directory',
    ],
    'has fewer entries than it says': [zipOf([{ name: 'a.yml' }], { count: 3 }), 'is incomplete or damaged'],
    'points outside of itself': [zipOf([{ name: 'a.yml', lie: { offset: 1_000_000 } }]), 'is incomplete or damaged'],
  }
  test.each(Object.entries(wrong))('that %s is refused, and says so', async (_, [body, why]) => {
    const error = await refused(body)
    expect(error).toMatchObject({ code: 'source/bad-archive' })
    expect(error.message).toContain(`is not a valid zip archive: it ${why}`)
  })

  test('that unpacks to much more than it is, is refused before anything is unpacked', async () => {
    const bomb = zipOf(Array.from({ length: 10 }, (_, at) => ({ name: `${at}.txt`, data: Buffer.alloc(4 * 2 ** 20) })))
    const ms = await cpuMs(async () => {
      expect(await refused(bomb)).toMatchObject({ code: 'source/archive-too-large' })
    })
    expect(ms).toBeLessThan(1_000)
  })
})
