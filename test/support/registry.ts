/**
 * A registry for npm that has what the lock file names, from node_modules, and the packages that are
 * given to it. So a real npm installs for real, without a network.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { readShipped } from '../../packaging/third-party.ts'
import type { Cleaner } from './service.ts'

type Manifest = { name: string; version: string }
type Version = { manifest: Manifest; pack: () => Buffer }

/** `tarballs`: packed by `npm pack`. */
export async function openRegistry(t: Cleaner, tarballs: readonly string[]): Promise<string> {
  const versions = Map.groupBy(
    [...tarballs.map(ofTarball), ...installed()],
    ({ manifest }) => manifest.name,
  )
  const server = createServer((request, response) => {
    const [, name = '', version] = /^\/(.+?)(?:\/-\/(.+)\.tgz)?$/.exec(
      decodeURIComponent(request.url!),
    )!
    const found = versions.get(name)
    if (found === undefined) response.writeHead(404).end('{}')
    else if (version === undefined) {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(describe(name, found, url)))
    } else response.end(found.find(({ manifest }) => manifest.version === version)!.pack())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return url
}

function describe(name: string, found: readonly Version[], url: string): object {
  const rows = found.map(({ manifest }) => {
    const tarball = `${url}/${name}/-/${manifest.version}.tgz`
    return [manifest.version, { ...manifest, dist: { tarball } }] as const
  })
  return { name, 'dist-tags': { latest: rows[0]![0] }, versions: Object.fromEntries(rows) }
}

function ofTarball(path: string): Version {
  const text = execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' })
  return { manifest: JSON.parse(text) as Manifest, pack: () => readFileSync(path) }
}

function installed(): Version[] {
  return readShipped('.')
    .filter(({ path }) => existsSync(path))
    .map(({ path }) => ({
      manifest: JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as Manifest,
      pack: () => packFolder(path),
    }))
}

function packFolder(path: string): Buffer {
  const words = [
    '--exclude=./node_modules',
    '--transform=s,^\\.,package,',
    '-C',
    resolve(path),
    '.',
  ]
  return execFileSync('tar', ['-czf', '-', ...words], { maxBuffer: 2 ** 30 })
}
