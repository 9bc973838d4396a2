/** Preloaded into the service (`--require`): tells by message how much CPU its process has used, in microseconds. */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send!(user + system)
  })
  // Otherwise the channel would keep the process alive after its last request.
  process.channel?.unref()
}
