/**
 * Preloaded into the service (`--require`): signals make it fail as it never should.
 * SIGUSR2: an exception; SIGHUP: a rejection; SIGWINCH: an exception in the writer thread. Each
 * error tells somebody's details.
 */
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const told = 'Robin Example <robin@example.com> said no'
const channel = new BroadcastChannel('fault')
channel.unref()

if (isMainThread) {
  process.on('SIGUSR2', () => {
    throw new TypeError(told)
  })
  process.on('SIGHUP', () => {
    void Promise.reject(new RangeError(told))
  })
  process.on('SIGWINCH', () => channel.postMessage('fail'))
} else {
  channel.addEventListener('message', () => {
    throw new TypeError(told)
  })
}
