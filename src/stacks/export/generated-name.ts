// Names for resources that no package has named yet.
import { createHash } from 'node:crypto'

const adjectives =
  `able agile amber apt azure blithe bold brave brisk calm civil clear clever cosy crisp deft dulcet eager early even
  fair fleet fond frank gentle glad golden grand hale hardy honest humble ideal jolly keen kind lithe lively lucid
  mellow merry mild modest neat nimble noble patient placid plain prime proud quick quiet ready robust serene silver
  sober spry steady stout sunny tidal wise`.split(/\s+/)

const surnames =
  `abel ampere babbage banach bohr boole born bose brahe cantor cauchy celsius curie darwin dirac drake edison euler
  faraday fermat fermi fresnel galilei gauss germain hahn halley heaviside hertz hilbert hooke hopper hubble huygens
  joule kelvin kepler kovalev lagrange laplace leibniz linnaeus lovelace mach markov maxwell meitner mendel napier
  newton noether ohm pascal pasteur planck poisson raman riemann rutherford tesla turing volta watt weber`.split(/\s+/)

/**
 * `<adjective>-<surname>-<6 hex digits>`, a DNS label, always the same for the same id. Two ids rarely share a name; a
 * caller that needs distinct names calls again with a suffix on the id.
 */
export function generatedName(id: string): string {
  const digest = createHash('sha256').update(id).digest()
  const adjective = adjectives[digest[0]! % adjectives.length]!
  const surname = surnames[digest[1]! % surnames.length]!
  return `${adjective}-${surname}-${digest.toString('hex', 2, 5)}`
}
