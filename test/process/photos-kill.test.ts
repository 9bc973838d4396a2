import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Receipt } from '../../src/contract/receipt.ts'
import { openLeads } from '../../src/store/open.ts'
import { hashOfPicture } from '../../src/store/photos/pictures.ts'
import { dayMs } from '../../src/time.ts'
import { settingsOf } from '../support/backup.ts'
import { newInstallation } from '../support/engines.ts'
import { startServiceHere } from '../support/service-here.ts'
import { postLead, startServiceProcess, type RunningService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { aboutPhotos, sharp } from '../support/sharp.ts'

const kills = Number(process.env['STORY_PHOTO_KILLS'] ?? 1)

test(
  'a photo that was acknowledged outlives kill -9 of the service and of the process that reads it',
  aboutPhotos,
  async (t) => {
    const { place } = await newInstallation(t)
    const acknowledged: string[] = []
    const answers = new Map<number, number>()
    let count = 0
    for (let killed = 0; killed < kills; killed += 1) {
      const service = await startServiceProcess({ ...place, photos: true })
      t.after(() => service.stop('SIGKILL'))
      const stopped = new AbortController()
      const load = sendPhotos(service, stopped.signal)
      const before = acknowledged.length
      await until(() => acknowledged.length > before, 'a photo was acknowledged')
      for (let each = 0; each < 2; each += 1) {
        await sleep(Math.random() * 200)
        for (const pid of readersOf(service.process.pid!)) killIfThere(pid)
      }
      await sleep(Math.random() * 200)
      stopped.abort()
      await service.stop('SIGKILL')
      await load
    }
    // A start after the last kill.
    await (await startServiceHere(t, { ...place, photos: true })).stop()

    const store = await openLeads(settingsOf(place))
    const lost = []
    for (const id of acknowledged) {
      const photo = await store.photos.find(id)
      const picture = photo && (await store.photos.readPicture(photo.hash))
      if (!picture || hashOfPicture(picture) !== photo.hash) lost.push(id)
    }
    await store.photos.forgetOld(Date.now() + 2 * dayMs)
    const names = await store.photos.pictureNames()
    const left = await Promise.all(names.map((name) => store.photos.readPicture(name)))
    await store.close()
    const found = Object.fromEntries(answers)
    t.diagnostic(
      JSON.stringify({
        story: 'kill -9 during photos',
        kills,
        acknowledged: acknowledged.length,
        sent: count,
        ...found,
      }),
    )
    assert.equal(answers.get(422), undefined, 'a photo is not to blame when its reading is stopped')
    assert.deepEqual(lost, [])
    assert.ok(left.every((picture) => picture !== undefined))

    /** Six to a request, one after the other, until the service is killed. */
    async function sendPhotos({ url }: RunningService, stopped: AbortSignal): Promise<void> {
      try {
        while (!stopped.aborted) {
          const lead = { name_1: 'Wendy', email_1: `wendy${(count += 1)}@example.com` }
          const answer = (await (await postLead(url, lead)).json()) as { status_url: string }
          const photosUrl = `${url}${new URL(answer.status_url).pathname}/photos`
          for (let each = 0; each < 6; each += 1) await sendPhoto(photosUrl)
        }
      } catch {
        // The service was killed.
      }
    }

    async function sendPhoto(url: string): Promise<void> {
      const body = new Uint8Array(await lawn((count += 1)))
      const headers = { 'Content-Type': 'image/jpeg', Accept: 'application/json' }
      const answer = await fetch(url, { method: 'POST', headers, body })
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
      if (answer.status !== 200) return
      const { photos = [] } = (await answer.json()) as Receipt
      acknowledged.push(photos.at(-1)!.url.split('/').at(-1)!)
    }
  },
)

/** No two are alike. */
function lawn(number: number): Promise<Buffer> {
  const background = { r: number % 256, g: (number * 7) % 256, b: (number * 31) % 256 }
  return sharp({ create: { width: 400, height: 300, channels: 3, background } })
    .jpeg()
    .toBuffer()
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
  }
}

/** Those that the service has started. Linux only, elsewhere none. */
function readersOf(pid: number): number[] {
  if (!existsSync('/proc')) return []
  const isChild = (each: string) => {
    try {
      const [, stat = ''] = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')
      return stat.split(' ')[1] === String(pid)
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((each) => /^\d+$/.test(each) && isChild(each))
    .map(Number)
}
