import type { Signature } from '../../../model/tip-facts.js'

/** `why`: a sentence. */
export function bad(why: string): Signature {
  return { state: 'bad', why }
}

export const severalSignatures = 'It holds more than one signature.'
