/** nginx with the file of packaging/, and what other proxies of the trials need as well. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { freePort, temporaryFolder, type Cleaner } from './service.ts'
import { until } from './until.ts'

export type Proxy = {
  /** The port of TLS, for `localhost`. */
  port: number
  log: () => string
}

export function isInstalled(name: string): boolean {
  return spawnSync(name, ['-h']).error === undefined
}

export const certificate = resolve('test/data/tls/server.crt')
export const key = resolve('test/data/tls/server.key')

/** What the head of the file says of an older nginx. */
const oldHttp2 = [
  [' ssl;', ' ssl http2;'],
  ['  http2 on;\n', ''],
] as const

function isBefore(version: string): boolean {
  const [, own = ''] = /nginx\/([\d.]+)/.exec(spawnSync('nginx', ['-v']).stderr.toString()) ?? []
  return own.localeCompare(version, 'en', { numeric: true }) < 0
}

export async function startNginx(t: Cleaner, servicePort: number): Promise<Proxy> {
  const folder = temporaryFolder(t)
  const [port, plainPort] = [await freePort(), await freePort()]
  const config = replaceAll(readFileSync('packaging/nginx/lead-intake.conf', 'utf8'), [
    ['127.0.0.1:3000', `127.0.0.1:${servicePort}`],
    ['/etc/letsencrypt/live/www.example.com/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/www.example.com/privkey.pem', key],
    ['www.example.com', 'localhost'],
    ...(isBefore('1.25.1') ? oldHttp2 : []),
    ['listen 443 ', `listen ${port} `],
    ['listen [::]:443 ', `listen [::]:${port} `],
    ['listen 80;', `listen ${plainPort};`],
    ['listen [::]:80;', `listen [::]:${plainPort};`],
    ['/var/log/nginx/', `${folder}/`],
  ])
  writeFileSync(join(folder, 'lead-intake.conf'), config)
  // The folder is of one user alone.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; pid ${folder}/pid; error_log ${folder}/lead-intake-error.log;
    events { worker_connections 2048; }
    http {
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f;
      uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; access_log off;
      include ${folder}/lead-intake.conf;
    }`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  })
  await proxyStarted(t, child, port)
  const read = (name: string) => {
    const path = join(folder, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }
  return { port, log: () => read('lead-intake.log') + read('lead-intake-error.log') }
}

/** Each must be there: otherwise the file is not what the test takes it for. */
export function replaceAll(
  text: string,
  pairs: readonly (readonly [from: string, to: string])[],
): string {
  return pairs.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`There is no ${from} in the file.`)
    return changed.replaceAll(from, () => to)
  }, text)
}

export async function proxyStarted(t: Cleaner, child: ChildProcess, port: number): Promise<void> {
  t.after(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    return await new Promise<boolean>((tell) => {
      socket.once('connect', () => tell(true)).once('error', () => tell(false))
    }).finally(() => socket.destroy())
  }, 'the proxy listens')
}
