import { repositoryIdentity } from '../../source/repository-identity.js'

/** True if a sender means this remote. `named`: an address, or only the path on the server. */
export function isSameRepository(remote: string, named: string): boolean {
  const [identity, other] = [remote, named].map((one) => repositoryIdentity(one).toLowerCase())
  return other !== '' && (identity === other || identity!.endsWith(`/${other!.replace(/^\//, '')}`))
}
