/** Hostile photos, and hundreds of slow ones, beside honest leads. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request, type ClientRequest } from 'node:http'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import {
  mainThreadCpuMs,
  postLead,
  startServiceProcess,
  temporaryFolder,
  type RunningService,
} from '../support/service.ts'
import { aboutPhotos, sharp } from '../support/sharp.ts'

const slow = Number(process.env['STORY_SLOW_PHOTOS'] ?? 100)
const mostMegabytes = 300

test(
  'hostile photos and slow ones take neither memory nor time from honest leads',
  aboutPhotos,
  async (t) => {
    const service = await startServiceProcess({
      photos: true,
      dataDir: temporaryFolder(t),
      env: { RATE_LIMIT: 'on', BASE_URL: 'https://decks.example.com' },
    })
    t.after(() => service.stop('SIGKILL'))
    const { url, port } = service
    const photosUrl = async (number: number) => {
      const lead = { name_1: 'Wendy', email_1: `wendy${number}@example.com` }
      const answer = (await (await postLead(url, lead)).json()) as { status_url: string }
      return `${new URL(answer.status_url).pathname}/photos`
    }
    const path = await photosUrl(0)
    const pid = service.process.pid!
    const costOfLead = (from: number) => medianCost(service, 20, from)
    await costOfLead(1)
    const quiet = await costOfLead(100)

    const hanging = Array.from({ length: slow }, (_, each) => {
      const sent = request({
        port,
        path,
        method: 'POST',
        localAddress: `127.0.7.${1 + (each % 250)}`,
        headers: {
          'Content-Type': 'image/jpeg',
          'Content-Length': 10_000_000,
          Accept: 'application/json',
        },
      })
      sent.on('error', () => {})
      sent.write(Buffer.alloc(50_000, 0xff))
      return sent
    })
    const trickle = setInterval(() => {
      for (const each of hanging)
        if (each.writableLength === 0) each.write(Buffer.alloc(1_400, 0xff))
    }, 56)
    await sleep(2_000)
    const before = mainThreadCpuMs(pid)
    await sleep(1_000)
    const slowOnesAlone = Math.round(mainThreadCpuMs(pid) - before)
    const beside = await costOfLead(200)
    clearInterval(trickle)
    for (const each of hanging) each.destroy()
    const answers: Record<string, number> = {}
    for (const [name, body] of await hostileFiles()) {
      const address = `127.0.8.${1 + Object.keys(answers).length}`
      answers[name] = await send({ port, path, localAddress: address, body })
    }
    const hundred = await Promise.all(
      Array.from({ length: 100 }, async (_, each) => {
        await sleep(each * 20)
        return send({ port, path, localAddress: '127.0.9.1', body: Buffer.alloc(20_000, 1) })
      }),
    )
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const memoryMb = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024)
    const counts = Object.fromEntries(
      [...Map.groupBy(hundred, String)].map(([code, all]) => [code, all.length]),
    )
    t.diagnostic(JSON.stringify({ slow, quiet, beside, slowOnesAlone, answers, counts, memoryMb }))
    const isPlain = (code: number) => code === 200 || (code >= 400 && code < 500)
    assert.ok(Object.values(answers).every(isPlain))
    // Two at a time come in from one address, and others are told to wait.
    assert.ok(hundred.every((code) => isPlain(code) || code === 503))
    assert.ok(memoryMb < mostMegabytes)
    assert.equal((await fetch(`${url}/api/lead`)).status, 200)
  },
)

async function hostileFiles(): Promise<[string, Buffer][]> {
  const noise = (width: number, height: number) =>
    sharp({
      create: {
        width,
        height,
        channels: 3,
        background: 'grey',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
  const plain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 4, background: 'red' }, limitInputPixels: false })
  const jpeg = await noise(4_000, 3_000).jpeg({ quality: 60 }).toBuffer()
  return [
    [
      '30 megapixels, interlaced PNG',
      await plain(6_000, 5_000).png({ progressive: true }).toBuffer(),
    ],
    [
      '30 megapixels, 16 bits, interlaced',
      await plain(6_000, 5_000).toColourspace('rgb16').png({ progressive: true }).toBuffer(),
    ],
    [
      '30 megapixels, progressive JPEG',
      await noise(6_000, 5_000).jpeg({ quality: 40, progressive: true }).toBuffer(),
    ],
    ['50,000 pixels wide', await plain(50_000, 600).png().toBuffer()],
    ['bomb of 900 megapixels', bomb(30_000)],
    ['cut off', jpeg.subarray(0, jpeg.length / 2)],
    ['JPEG with a page behind it', Buffer.concat([jpeg, Buffer.from('<script>alert(1)</script>')])],
    ['GIF', await plain(10, 10).gif().toBuffer()],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['PNG header and noise', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), jpeg])],
  ]
}

/** A PNG of one colour, whose few kilobytes unpack to gigabytes. */
function bomb(side: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([8, 2], 8)
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const lines = deflateSync(Buffer.alloc(10_000_000))
  const begin = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    begin,
    chunk('IHDR', head),
    chunk('IDAT', lines),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

type Sending = { port: number; path: string; localAddress: string; body: Buffer }

async function send({ port, path, localAddress, body }: Sending): Promise<number> {
  const headers = {
    'Content-Type': 'image/png',
    'Content-Length': body.length,
    Accept: 'application/json',
  }
  const sent: ClientRequest = request({ port, path, method: 'POST', localAddress, headers })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [
    NodeJS.ReadableStream & { statusCode: number },
  ]
  answer.resume()
  return answer.statusCode
}

/** The median of what the main thread spends from sending a lead to its answer, in milliseconds. */
async function medianCost(service: RunningService, count: number, from: number): Promise<number> {
  const pid = service.process.pid!
  const costs = []
  for (let each = 0; each < count; each += 1) {
    const before = mainThreadCpuMs(pid)
    const lead = { name_1: 'Mai', email_1: `mai${from + each}@example.com` }
    await (await postLead(service.url, lead)).text()
    costs.push(mainThreadCpuMs(pid) - before)
    await sleep(20)
  }
  return Number(costs.toSorted((one, other) => one - other)[Math.floor(count / 2)]!.toFixed(1))
}
