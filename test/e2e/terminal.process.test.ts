// The agent in a terminal that is closed. Python opens the terminal: Node cannot.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { program as main } from './built.js'
import { useProgram } from './program.js'

const program = useProgram()
const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0

/** Prints the wait status of the command; `lives` if it has not ended ten seconds after its terminal was closed. */
const script = `
import os, pty, signal, sys, time
log, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    if log:
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT, 0o600), 2)
    os.execvp(command[0], command)
seen = b''
def wait_for(text):
    global seen
    while text not in seen:
        if log:
            time.sleep(0.05)
            seen = open(log, 'rb').read() if os.path.exists(log) else b''
        else:
            seen += os.read(terminal, 65536)
wait_for(b'agent started')
os.kill(pid, signal.SIGHUP)
wait_for(b'nothing to reload')
os.close(terminal)
end = time.time() + 10
while time.time() < end:
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended:
        print(status)
        sys.exit()
    time.sleep(0.05)
os.kill(pid, signal.SIGKILL)
print('lives')
`

/** How the agent ended; before, it was sent SIGHUP while the terminal was open. */
function closeTerminal(log: string): string {
  const command = [process.execPath, main, 'agent', '--data', program.data, '--listen', '127.0.0.1:0']
  const words = log === '' ? command : [...command, '--log', 'json']
  const { stdout, stderr } = spawnSync('python3', ['-c', script, log, ...words], { encoding: 'utf8', timeout: 40_000 })
  return stdout.trim() + stderr
}

test.skipIf(!hasPython)('SIGHUP reloads in an open terminal; the agent stops when the terminal is closed', () => {
  expect(closeTerminal('')).toBe('0')
})

test.skipIf(!hasPython)('an agent that logs to a file stops when its terminal is closed', () => {
  const log = join(program.root, 'log')
  expect(closeTerminal(log)).toBe('0')
  expect(readFileSync(log, 'utf8')).toMatch(/"signal":"SIGHUP","msg":"agent stops"\}\n$/)
})
