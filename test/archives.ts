// Archives made by hand, byte by byte, so that they may be wrong in every way.
import { deflateRawSync, crc32, gzipSync } from 'node:zlib'

export interface TarEntry {
  readonly name: string | Buffer
  readonly data?: string | Buffer
  /** As in the header; default `0`, a file. */
  readonly type?: string
  readonly link?: string
  /** What the header says of it, where that is not so. */
  readonly size?: number
}

/** Entries as they are, and the end of the archive. */
export function tarOf(entries: readonly TarEntry[], end: Buffer = Buffer.alloc(1024)): Buffer {
  return Buffer.concat([...entries.flatMap(tarEntry), end])
}

export function tarGz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tarOf(entries))
}

/** Entries that go before another one, and say more of it: keys and values of pax. */
export function pax(values: Readonly<Record<string, string>>, type = 'x'): TarEntry {
  const records = Object.entries(values).map(([key, value]) => paxRecord(` ${key}=${value}\n`))
  return { name: 'PaxHeader', type, data: records.join('') }
}

function paxRecord(rest: string): string {
  const bytes = Buffer.byteLength(rest)
  const digits = String(bytes + String(bytes).length).length
  return `${bytes + digits}${rest}`
}

function tarEntry({ name, data = '', type = '0', link = '', size }: TarEntry): readonly Buffer[] {
  const bytes = Buffer.from(data)
  const header = Buffer.alloc(512)
  Buffer.from(name).copy(header, 0, 0, 100)
  for (const [at, octal] of [
    [100, '0000644'],
    [108, '0000000'],
    [116, '0000000'],
  ] as const)
    header.write(octal, at, 'latin1')
  header.write(`${(size ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  header.write('00000000000\0        ', 136, 'latin1')
  header.write(type, 156, 'latin1')
  header.write(link, 157, 'utf8')
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
}

export interface ZipEntry {
  readonly name: string | Buffer
  readonly data?: string | Buffer
  /** Of the file system: kind and permissions. */
  readonly mode?: number
  /** Default: deflated. */
  readonly method?: number
  readonly flags?: number
  /** The sizes follow the data instead of going before it. */
  readonly descriptor?: boolean
  readonly zip64?: boolean
  /** What the directory says, where that is not so. */
  readonly lie?: { readonly size?: number; readonly crc?: number; readonly name?: string; readonly offset?: number }
}

/** `count`: how many entries the directory says it has. */
export function zipOf(entries: readonly ZipEntry[], { count = entries.length, comment = '' } = {}): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const made = zipEntry(entry, offset)
    locals.push(made.local)
    directory.push(made.listed)
    offset += made.local.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(Buffer.byteLength(comment), 20)
  return Buffer.concat([...locals, ...directory, end, Buffer.from(comment)])
}

function zipEntry(entry: ZipEntry, offset: number): { readonly local: Buffer; readonly listed: Buffer } {
  const {
    name,
    data = '',
    method = 8,
    flags = 0x800,
    descriptor = false,
    zip64 = false,
    mode = 0o100644,
    lie = {},
  } = entry
  const bytes = Buffer.from(data)
  const packed = method === 8 ? deflateRawSync(bytes) : bytes
  const nameBytes = Buffer.from(name)
  const flag = flags | (descriptor ? 8 : 0)
  const common = (buffer: Buffer, at: number, crc: number, sizes: readonly [number, number]): void => {
    buffer.writeUInt16LE(zip64 ? 45 : 20, at)
    buffer.writeUInt16LE(flag, at + 2)
    buffer.writeUInt16LE(method, at + 4)
    buffer.writeUInt32LE(crc, at + 10)
    buffer.writeUInt32LE(sizes[0], at + 14)
    buffer.writeUInt32LE(sizes[1], at + 18)
  }
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  common(local, 4, descriptor ? 0 : crc32(bytes), descriptor ? [0, 0] : [packed.length, bytes.length])
  local.writeUInt16LE(nameBytes.length, 26)
  const after = Buffer.alloc(descriptor ? 16 : 0)
  if (descriptor) {
    after.writeUInt32LE(0x08074b50, 0)
    after.writeUInt32LE(crc32(bytes), 4)
    after.writeUInt32LE(packed.length, 8)
    after.writeUInt32LE(bytes.length, 12)
  }
  const listedName = Buffer.from(lie.name ?? nameBytes)
  const extra = Buffer.alloc(zip64 ? 20 : 0)
  if (zip64) {
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(16, 2)
    extra.writeBigUInt64LE(BigInt(bytes.length), 4)
    extra.writeBigUInt64LE(BigInt(packed.length), 12)
  }
  const listed = Buffer.alloc(46)
  listed.writeUInt32LE(0x02014b50, 0)
  listed.writeUInt16LE((3 << 8) | 20, 4)
  common(
    listed,
    6,
    lie.crc ?? crc32(bytes),
    zip64 ? [0xffffffff, 0xffffffff] : [packed.length, lie.size ?? bytes.length],
  )
  listed.writeUInt16LE(listedName.length, 28)
  listed.writeUInt16LE(extra.length, 30)
  listed.writeUInt32LE((mode << 16) >>> 0, 38)
  listed.writeUInt32LE(lie.offset ?? offset, 42)
  return { local: Buffer.concat([local, nameBytes, packed, after]), listed: Buffer.concat([listed, listedName, extra]) }
}
