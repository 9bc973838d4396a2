/** CPU time and memory of a process, from /proc. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const maxReadings = 50

/** CPU time of all threads, read when it no longer grows. */
export async function settledCpuNs(pid: number): Promise<number> {
  let last = cpuNs(pid)
  for (let reading = 0; reading < maxReadings; reading += 1) {
    await sleep(1)
    const now = cpuNs(pid)
    if (now === last) return now
    last = now
  }
  return last
}

function cpuNs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => {
    const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return sum + Number(ns)
  }, 0)
}
