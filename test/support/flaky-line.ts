/** A line to a site: its first attempt never arrives, the answer to the second is lost, the third goes through. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import type { Cleaner } from './cleaner.ts'

export type FlakyLine = { url: string; attempts: number }

export async function openFlakyLine(t: Cleaner, siteUrl: string): Promise<FlakyLine> {
  const port = Number(new URL(siteUrl).port)
  const line = { url: '', attempts: 0 }
  const server = createServer((client) => {
    line.attempts += 1
    client.on('error', () => {})
    if (line.attempts === 1) return client.destroy()
    const site = connect(port, '127.0.0.1')
    site.on('error', () => client.destroy())
    client.pipe(site)
    if (line.attempts === 2) site.once('data', () => client.resetAndDestroy())
    else site.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return line
}
