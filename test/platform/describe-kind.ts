// What every kind must do (src/model/resources/kind.ts, docs/reference/platform-contract.md). An author of a platform
// calls it with documents of the kind.
import { describe, expect, test } from 'vitest'
import { addressOf, nameOf, type Address, type Identity } from '../../src/model/address.js'
import type { Document } from '../../src/model/resources/document.js'
import type { JsonObject } from '../../src/model/json.js'
import { unknownYet, type Kind, type Resolve } from '../../src/model/resources/kind.js'
import { errorsOf } from '../../src/model/problem.js'
import { readPackage } from '../../src/package/package.js'

export interface KindSample {
  /** Valid documents of the kind, in YAML or JSON. */
  readonly valid: readonly string[]
  /** Documents of the kind, each with the place of an error in it: a JSON pointer. */
  readonly invalid: readonly (readonly [text: string, pointer: string])[]
}

/** References resolve to the address and the output, so `declare` finds the names again. */
const resolve: Resolve = ({ to, output = 'id' }) => (output === 'id' ? to : `${to} ${output}`)
const itself = 'itself' as Identity
const nameOfReferenced = (family: string, identity: string): string | undefined =>
  identity.startsWith(`${family}/`) ? nameOf(identity as Address) : undefined

export function describeKind(kind: Kind, { valid, invalid }: KindSample): void {
  describe(`the kind ${kind.kind}`, () => {
    describe.each(valid.map((text, at) => ({ at, text })))('with valid document $at', ({ text }) => {
      const document = frozen(readOne(text))
      const decode = (): unknown => valueOf(kind, document)
      const desired = (spec = decode()): JsonObject => kind.encode(spec, resolve)

      test('is decoded without errors, alike each time, and does not change the document', () => {
        expect(errorsOf(kind.decode(document).problems)).toEqual([])
        expect(decode()).toEqual(decode())
      })

      if (kind.documents?.decodeSteps !== undefined)
        test('is decoded alike in steps', () => {
          const steps = kind.documents!.decodeSteps!(document)
          let step = steps.next()
          while (step.done !== true) step = steps.next()
          expect(step.value.value).toEqual(decode())
        })

      test('is encoded alike each time, with and without the values of references', () => {
        expect(desired()).toEqual(desired())
        expect(kind.encode(decode(), unknownYet)).toEqual(kind.encode(decode(), unknownYet))
      })

      test('has a canonical form that stays the same and does not change the state', () => {
        const state = desired()
        const once = kind.normalise(state)
        expect(state).toEqual(desired())
        expect(kind.normalise(once)).toEqual(once)
      })

      test('has a key and a name that the canonical form keeps', () => {
        const state = desired()
        const namesOf = (one: JsonObject) => [kind.matching?.key(one), kind.displayName?.(one)]
        expect(namesOf(kind.normalise(state))).toEqual(namesOf(state))
        for (const text of namesOf(state)) {
          expect(text).not.toBe('')
        }
      })

      test('says nothing of the health of a state, or one sentence', () => {
        for (const there of [{ actual: desired() }, { actual: desired(), readOnly: {} }])
          expect(kind.health?.unhealthy(there) ?? 'It works.').toMatch(/^[A-Z].*[.!]$/)
      })

      test('has references at places of the document', () => {
        for (const { to, pointer = '' } of kind.references(decode())) {
          expect(to).toMatch(/^[A-Za-z][\w.-]*\/./)
          expect(pointer).toMatch(/^(\/|$)/)
        }
      })

      test('has parts below its own address', () => {
        const own = addressOf(kind.family, document.name)
        for (const { name } of kind.parts?.documents(decode(), document) ?? []) expect(name).toMatch(startOf(`${own}/`))
      })

      test('is the same resource after an export', () => {
        const state = kind.normalise(desired())
        const spec = kind.authored?.declare(state, nameOfReferenced, itself)
        if (spec === undefined) return expect(kind.authored).toBeUndefined()
        const body = { ...document.body, spec }
        const again = kind.normalise(desired(valueOf(kind, readOne(JSON.stringify(body)))))
        const there = { identity: itself, actual: state }
        expect(kind.secrets?.recognise(again, there, []) ?? again).toEqual(state)
      })
    })

    test.each(invalid)('refuses invalid document %#, and says where', (text, pointer) => {
      const document = frozen(readOne(text))
      const errors = errorsOf(kind.decode(document).problems)
      expect(errors.map(({ place }) => place?.pointer)).toContain(pointer)
      for (const { code, message } of errors) {
        expect(code).toMatch(/^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/)
        expect(message).toMatch(/^\S.*\S$/s)
      }
    })
  })
}

function startOf(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`)
}

function readOne(text: string): Document {
  const { value, problems } = readPackage([{ path: 'sample.yml', id: text, bytes: Buffer.from(text) }])
  expect(errorsOf(problems)).toEqual([])
  return value[0]!
}

function valueOf(kind: Kind, document: Document): unknown {
  const { value } = kind.decode(document)
  expect(value).toBeDefined()
  return value
}

/** Frozen to its leaves: a change of it throws. */
function frozen(document: Document): Document {
  const left: unknown[] = [document.body]
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (typeof one !== 'object' || one === null) continue
    Object.freeze(one)
    left.push(...(Object.values(one) as unknown[]).filter((value) => value !== undefined))
  }
  return document
}
