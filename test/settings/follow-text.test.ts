import { expect, test } from 'vitest'
import type { SourceSpec } from '../../src/model/sources/source-spec.js'
import { followText } from '../../src/settings/follow-text.js'

const git = { kind: 'git', url: 'https://git.example/boards', ref: 'stable', path: '' } as const

const texts: Readonly<Record<string, readonly [SourceSpec, string]>> = {
  'a branch or tag': [git, 'https://git.example/boards#stable'],
  'a path of it': [{ ...git, path: 'dashboards/ops' }, 'https://git.example/boards#stable in dashboards/ops'],
  'a range of versions': [{ ...git, ref: 'semver:^1.2' }, 'https://git.example/boards#semver:^1.2'],
  'another spelling of the address': [
    { ...git, url: 'HTTPS://Git.Example/boards/' },
    'https://git.example/boards#stable',
  ],
  'a path of this machine': [{ ...git, url: '/srv/git/boards' }, 'file:///srv/git/boards#stable'],
  'an address that is not valid': [{ ...git, url: './boards' }, './boards#stable'],
  'an archive': [{ kind: 'url', url: 'https://x.example/a.zip', path: 'q' }, 'https://x.example/a.zip in q'],
  'a directory': [{ kind: 'directory', directory: '/srv/boards' }, '/srv/boards'],
  'pushed packages': [{ kind: 'inline' }, 'pushed packages'],
}

test.each(Object.entries(texts))('what a stack follows: %s', (_, [source, text]) => {
  expect(followText(source)).toBe(text)
})
