import { expect, test } from 'vitest'
import { toFailure } from '../../src/agent/failure.js'
import { toErrorAnswer } from '../../src/api/error-answer.js'
import { Rejected, tooManyOpen } from '../../src/model/errors.js'
import { networkError } from '../../src/source/network/http-errors.js'

const emfile = Object.assign(new Error("EMFILE: too many open files, open '/x'"), { code: 'EMFILE', syscall: 'open' })
const hint = 'Raise the limit of open files: ulimit -n, or LimitNOFILE= of the systemd unit; then restart the agent.'

test('recognizes too many open files as any cause of an error', () => {
  const wrapped = new Rejected('The file cannot be read.', {
    code: 'source/disk',
    cause: new Error('around', { cause: emfile }),
  })
  for (const error of [emfile, wrapped, networkError('https://a.example/x', emfile)]) {
    expect(toFailure(error)).toMatchObject({ code: 'machine/open-files', hint, retry: 'soon' })
    expect(toErrorAnswer(error)).toMatchObject({
      http: 503,
      body: {
        status: 'unavailable',
        code: 'machine/open-files',
        message: 'gitmoor has too many files and connections open (EMFILE).',
        hint,
      },
    })
  }
  expect(tooManyOpen(Object.assign(new Error('x'), { code: 'ENFILE' }))).toMatchObject({ code: 'machine/open-files' })
  expect(tooManyOpen(Object.assign(new Error('x'), { code: 'ENOSPC' }))).toBeUndefined()
  expect(tooManyOpen(undefined)).toBeUndefined()
})
