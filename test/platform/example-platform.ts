// A whole platform: notes are text files of one directory. The page of the platform contract shows this file.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Identity } from '../../src/model/address.js'
import { Rejected } from '../../src/model/errors.js'
import { isObject, type Json } from '../../src/model/json.js'
import type { Kind } from '../../src/model/resources/kind.js'
import { problemAt } from '../../src/model/problem.js'
import type { Observed } from '../../src/model/resources/resource.js'
import type { Driver, Kinds, Platform, PlatformDescription } from '../../src/platform/platform.js'
import { strictObject } from '../../src/settings/schema/strict-object.js'

const note: Kind<{ readonly name: string; readonly text: string }> = {
  kind: 'Note',
  apiVersions: ['notes/v1'],
  family: 'Note',
  decode: ({ name, body, locate }) => {
    const text = isObject(body['spec']) ? body['spec']['text'] : undefined
    if (typeof text === 'string' && /^[\w-]{1,100}$/.test(name)) return { value: { name, text }, problems: [] }
    const finding = { code: 'notes/invalid', message: 'A note has a name of letters and digits, and a text.' }
    return { value: undefined, problems: [problemAt('error', locate('/spec'), finding)] }
  },
  references: () => [],
  encode: ({ name, text }) => ({ name, text }),
  normalise: (state) => state,
  matching: { key: ({ name }) => name as string },
}

const kinds: Kinds = {
  kinds: [note],
  kind: (kind, apiVersion) => (kind !== 'Note' ? undefined : apiVersion === 'notes/v1' ? note : 'version'),
  explainUnknownKind: (kind) => ({
    code: 'notes/unknown-kind',
    message: `Notes have no kind ${kind} of this version.`,
  }),
}

export const notesDescription: PlatformDescription = {
  name: 'notes',
  version: 1,
  settings: strictObject({ directory: z.string().min(1) }),
  families: ['Note'],
  eventFamilies: { associated: [], unlisted: [] },
  packageSchema: () => ({}),
  openKinds: () => ({ ...kinds, [Symbol.dispose]: () => {} }),
}

export const notes: Platform = {
  ...kinds,
  name: 'notes',
  version: 1,
  onFailure: 'undo',
  systemId: ({ directory }) => directory as string,
  connect: async ({ settings }) => {
    const directory = settings['directory'] as string
    await mkdir(directory, { recursive: true })
    return {
      concurrency: 4,
      driver: () => notesDriver(directory),
      list: async ({ limit, after = '' }) => {
        const names = (await readdir(directory)).map((file) => file.replace(/\.txt$/, '')).sort()
        const next = names.filter((name) => `Note/${name}` > after).slice(0, limit)
        const found = await Promise.all(next.map((name) => readNote(directory, name)))
        return found.flatMap((observed) => (observed === undefined ? [] : [{ family: 'Note', observed }]))
      },
      [Symbol.asyncDispose]: async () => {},
    }
  },
}

function notesDriver(directory: string): Driver {
  const read = (name: Json | undefined): Promise<Observed | undefined> => readNote(directory, name)
  return {
    read: async (lookups) => {
      const found = lookups.map(async ({ address, identity, key }) => {
        const there = (await read(identity)) ?? (await read(key))
        return there === undefined ? [] : [[address, there] as const]
      })
      return new Map((await Promise.all(found)).flat())
    },
    trace: ({ name }) => name!,
    find: read,
    create: async ({ name, text }) => {
      if ((await read(name)) !== undefined) throw new Rejected('The note exists.', { code: 'notes/exists' })
      await writeFile(fileOf(directory, name!), text as string, { flag: 'wx' })
      return (await read(name))!
    },
    update: async ({ identity }, { text }) => {
      if ((await read(identity)) === undefined) throw new Rejected('The note is gone.', { code: 'notes/gone' })
      await writeFile(fileOf(directory, identity), text as string)
      return (await read(identity))!
    },
    remove: ({ identity }) => rm(fileOf(directory, identity), { force: true }),
  }
}

async function readNote(directory: string, name: Json | undefined): Promise<Observed | undefined> {
  if (typeof name !== 'string') return undefined
  const text = await readFile(fileOf(directory, name), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : { identity: name as Identity, actual: { name, text } }
}

function fileOf(directory: string, name: Json): string {
  return join(directory, `${name as string}.txt`)
}
