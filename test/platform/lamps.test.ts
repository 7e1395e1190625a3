// The contract suites on the test platform.
import type { Platform } from '../../src/platform/platform.js'
import { Lamps, lampsKind } from '../lamps.js'
import { describeDriver, type DriverSample } from './describe-driver.js'
import { describeKind } from './describe-kind.js'
import { describePlatform } from './describe-platform.js'
import type { PlatformWorld } from './platform-world.js'

const samples: readonly DriverSample[] = [
  sample('Room', { name: 'hall', floor: 1 }, { name: 'attic', floor: 3 }, { floor: 2 }),
  sample('Lamp', { name: 'door', colour: 'red' }, { name: 'desk', colour: 'red' }, { colour: 'blue' }),
]

function sample(
  kind: string,
  state: DriverSample['state'],
  other: DriverSample['state'],
  change: DriverSample['state'],
): DriverSample {
  const changed = { ...state, ...change }
  return { kind, apiVersion: 'lamps/v1', state, other, changed, longer: { ...state, note: 'x' } }
}

/** `platform`: over these lamps. */
async function open(platform: (lamps: Lamps) => Platform = (lamps) => lamps): Promise<PlatformWorld> {
  const [target, other] = ['hall', 'shed'].map((bridge) => ({ name: bridge, platform: 'lamps', settings: { bridge } }))
  return { platform: platform(new Lamps()), target: target!, other: other! }
}

function withLateKinds(lamps: Lamps): Platform {
  return {
    name: 'lamps',
    version: 1,
    onFailure: 'undo',
    systemId: (settings) => lamps.systemId(settings),
    connect: async (target) => ({ ...(await lamps.connect(target)), kinds: lamps }),
  }
}

describePlatform('lamps', () => open(), samples)
describePlatform('lamps, whose connection gives the kinds', () => open(withLateKinds), samples)
describeDriver('lamps', () => open(), samples)

const document = (kind: string, spec: string): string =>
  `apiVersion: lamps/v1\nkind: ${kind}\nmetadata: { name: door }\nspec: ${spec}\n`

describeKind(lampsKind('Room'), {
  valid: [document('Room', '{ floor: 1 }')],
  invalid: [[document('Room', 'hall'), '/spec']],
})
describeKind(lampsKind('Lamp'), {
  valid: [document('Lamp', '{ room: hall, colour: red }'), document('Lamp', '{}')],
  invalid: [[document('Lamp', '[]'), '/spec']],
})
