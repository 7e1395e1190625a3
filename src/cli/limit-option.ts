import { InvalidArgumentError, Option } from 'commander'

/** How many rows a list shows that grows without end. */
export function limitOption(): Option {
  return new Option('--limit <N>', 'at most so many').default(50).argParser((text) => {
    if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1 to 99999.')
    return Number(text)
  })
}
