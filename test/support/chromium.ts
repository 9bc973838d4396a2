/** The Chromium of the browser tests: on x64 the one that npm installs, elsewhere the one of the system. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packed from '@sparticuz/chromium'

type Program = { executablePath: string; env?: NodeJS.ProcessEnv }

/** Says why the browser tests cannot run here; `undefined` if there is a browser. */
export function whyNoBrowser(): string | undefined {
  if (hasOwn || installedChromium() !== undefined) return undefined
  const path = process.env['CHROMIUM_PATH']
  const where = path ? ` at CHROMIUM_PATH=${path}` : ''
  return `there is no browser${where}; on Debian: apt-get install chromium-headless-shell fonts-liberation`
}

export async function chosenChromium(): Promise<Program> {
  if (!hasOwn) return { executablePath: installedChromium() ?? 'chromium' }
  const folder = await unpackOnce()
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  }
}

/** Whether the Chromium that npm installs is used. Its package has one for x64 only. */
const hasOwn =
  !process.env['CHROMIUM_PATH'] && process.platform === 'linux' && process.arch === 'x64'

function installedChromium(): string | undefined {
  const path = process.env['CHROMIUM_PATH']
  if (path) return existsSync(path) ? path : undefined
  return usualFolders()
    .flatMap((folder) => programNames.map((name) => join(folder, name)))
    .find((program) => existsSync(program))
}

/** The shell without windows comes first: it takes a quarter less CPU. */
const programNames = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'Chromium',
  'Google Chrome',
]

/** The folders on PATH, and where macOS keeps its applications. */
function usualFolders(): string[] {
  return [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/Applications/Chromium.app/Contents/MacOS',
    '/Applications/Google Chrome.app/Contents/MacOS',
  ]
}

/** Safe in two processes at once: each unpacks into its own folder, and the first rename wins. */
async function unpackOnce(): Promise<string> {
  const folder = join(cacheFolder, `chromium-${packedVersion()}`)
  if (existsSync(folder)) return folder
  mkdirSync(cacheFolder, { recursive: true })
  const making = mkdtempSync(`${folder}-`)
  try {
    // Other users may run it too.
    chmodSync(await unpackInto(making), 0o755)
    chmodSync(making, 0o755)
    writeFileSync(join(making, 'fonts.conf'), fontsConf(folder))
    renameSync(making, folder)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

function packedVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/**
 * The package unpacks into the temporary folder, and adds its libraries only when it believes it runs
 * in AWS Lambda. It reads both variables before its first await, so they are restored at once.
 */
function unpackInto(folder: string): Promise<string> {
  const { TMPDIR, AWS_EXECUTION_ENV } = process.env
  setVariables({ TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' })
  const unpacking = packed.executablePath()
  setVariables({ TMPDIR, AWS_EXECUTION_ENV })
  return unpacking
}

function setVariables(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

/** The fonts of the system, then those of the package. */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`
}
