import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Platform } from '../../src/platform/platform.js'
import { registerPlatforms } from '../../src/platform/register-platforms.js'
import { Lamps } from '../lamps.js'

const lamps = new Lamps()

/** The platform, with what the contract does not permit. */
function broken(over: object): Platform {
  return { name: 'lamps', version: 1, onFailure: 'undo', systemId: () => '', ...over } as never
}

test('a platform of this version of the contract is registered by its name', () => {
  expect(registerPlatforms([{ name: 'lamps', version: 1 }], [lamps]).get('lamps')).toBe(lamps)
})

test.each([
  [
    'another version of the contract',
    [broken({ version: 2 })],
    'Platform lamps has version 2 of the platform contract; this gitmoor has 1.',
  ],
  [
    'no version',
    [broken({ version: undefined })],
    'Platform lamps has version undefined of the platform contract; this gitmoor has 1.',
  ],
  [
    'a name that configuration files cannot have',
    [broken({ name: 'Big Lamps' })],
    'The platform name "Big Lamps" is not',
  ],
  ['the name of another one', [lamps, broken({})], 'Two platforms have the name lamps.'],
  ['no place for a run', [broken({ places: 0 })], 'Platform lamps has 0 places: give 1 or more.'],
  ['a part of its kinds', [broken({ kinds: [] })], 'give `kinds`, `kind` and `explainUnknownKind`, or none of them.'],
])('a platform with %s is refused', (_, platforms, message) => {
  expect(() => registerPlatforms([], platforms)).toThrow(message)
})

test('a platform with a setting that every target has is refused', () => {
  const described = {
    name: 'lamps',
    version: 1,
    settings: z.object({ bridge: z.string(), labels: z.string() }),
  } as const
  expect(() => registerPlatforms([described], [lamps])).toThrow(
    'Platform lamps has a setting "labels", which every target has.',
  )
})

test('every problem is in one error, with what to do next', () => {
  const described = [{ name: 'heating', version: 1 as const }]
  const register = (): unknown => registerPlatforms(described, [broken({ version: 3, name: 'x y' })])
  expect(register).toThrow(
    expect.objectContaining({
      code: 'platform/contract',
      message: [
        'Platform x y has version 3 of the platform contract; this gitmoor has 1.',
        'The platform name "x y" is not 1 to 40 of a-z, 0-9 and -.',
        'Platform heating was not opened.',
      ].join(' '),
      hint: expect.stringContaining('versions of the platform and of gitmoor'),
    }),
  )
})
