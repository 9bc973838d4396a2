/** What is installed with the package, by the lock file: a list for programs (SBOM), and the licences. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toSiteLock } from '../src/operator/init.ts'

export type Shipped = {
  /** As in `node_modules/pg`. */
  path: string
  name: string
  version: string
  license: string
  integrity: string
  /** Of another platform, perhaps: the Node that npm installs. */
  optional: boolean
}

export type LockEntry = Partial<Shipped> & {
  dev?: true
  resolved?: string
  hasInstallScript?: true
}

/** Sorted by path. */
export function readShipped(root: string): Shipped[] {
  return Object.entries(packagesOf(toSiteLock(readLockFile(root))))
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      path,
      name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version!,
      license: entry.license ?? readOldLicence(join(root, path)),
      integrity: entry.integrity!,
      optional: entry.optional === true,
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** As packages named their licence until 2014; npm leaves it out of the lock file. */
function readOldLicence(folder: string): string {
  const { licenses } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    licenses: [{ type: string }]
  }
  return licenses[0].type
}

export function readLock(root: string): Record<string, LockEntry> {
  return packagesOf(readLockFile(root))
}

function readLockFile(root: string): string {
  return readFileSync(join(root, 'package-lock.json'), 'utf8')
}

function packagesOf(lock: string): Record<string, LockEntry> {
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockEntry> }
  return packages
}

/** CycloneDX 1.6, without a time and a serial number: the same packages give the same bytes. */
export function toSbom(root: string, shipped: readonly Shipped[]): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Shipped
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name,
        version,
        purl: toPurl(name, version),
        licenses: [{ license: { id: license } }],
      },
    },
    components: shipped.map((one) => ({
      type: 'library',
      'bom-ref': one.path,
      name: one.name,
      version: one.version,
      scope: one.optional ? 'optional' : 'required',
      purl: toPurl(one.name, one.version),
      licenses: [{ license: { id: one.license } }],
      hashes: [{ alg: 'SHA-512', content: toHex(one.integrity) }],
    })),
  }
  return `${JSON.stringify(sbom, undefined, 2)}\n`
}

function toPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** `sha512-…` in base 64, as npm writes it. */
function toHex(integrity: string): string {
  return Buffer.from(integrity.slice(integrity.indexOf('-') + 1), 'base64').toString('hex')
}

/** The text of each licence as its package has it. What is not the same on every machine is left out. */
export function writeLicences(root: string, shipped: readonly Shipped[]): string {
  const parts = shipped
    .filter(({ optional }) => !optional)
    .map((one) => {
      const head = `${one.name} ${one.version} (${one.license})`
      return `${head}\n${'='.repeat(head.length)}\n\n${readLicence(join(root, one.path))}\n`
    })
  return [
    'lead-intake is installed with these packages. Node itself, which npm installs on Linux, carries\nits own LICENSE.\n',
    ...parts,
  ].join('\n')
}

/** Some packages name their licence without its text. */
function readLicence(folder: string): string {
  const [file] = readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|copying)/i.test(name))
    .sort()
  if (file === undefined) return 'The package has no file with the text of its licence.'
  return readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()
}
