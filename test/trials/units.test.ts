/** The units of packaging/systemd/ under a real systemd, in a booted container of Debian. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import test, { type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { readBlocks } from '../support/doc-checks.ts'
import { patienceMs } from '../support/until.ts'
import { openRegistry } from '../support/registry.ts'
import { temporaryFolder } from '../support/service.ts'

const run = promisify(execFile)
const base = resolve('node_modules/.cache/units-debian')
const include = '--include=systemd,systemd-sysv,dbus'

test(
  'under the units of packaging/systemd the service and its timer make backups, which verify',
  { skip: whyNot() },
  async (t) => {
    const root = await newDebian(t)
    const site = await createSite(t, root)
    appendFileSync(join(site, '.env'), '\nBACKUP_TO=/var/lib/lead-intake-backups\n')
    writeFileSync(join(root, 'root/trial.sh'), script())
    writeFileSync(join(root, 'etc/systemd/system/trial.service'), trialUnit)
    const said = await boot(root)

    const told = readFileSync(join(root, 'root/said'), 'utf8')
    t.diagnostic(told)
    assert.match(told, /"event":"backup\.made"/, `${said}\n${told}`)
    assert.match(told, /^timer: success$/m)
    const verified = told.match(/^\/var\/lib\/lead-intake-backups\/.* It is whole\.$/gm)
    assert.equal(verified?.length, 2)
    assert.match(verified[1]!, /, 1 lead\./)
    assert.match(told, /^ok +backup +the newest is/m)
    assert.match(told, /^\S+ cannot be read or written \(EROFS\)\. .* ReadWritePaths/m)
    assert.match(told, /^\/srv\/backups\/\S+: 1 lead/m)
    assert.match(told, /^ok +files .*[^]*^\/srv\/backups$[^]*^ok +files/m)
  },
)

/** Installs by docs/install.md, then makes a backup by each of the two units. */
function script(): string {
  const blocks = readBlocks('docs/install.md').map(({ text }) => text)
  const install = blocks.find((text) => text.includes('systemctl enable'))!
  return `set -e
    cd /srv/lead-intake
    ${install.replaceAll('sudo ', '').replaceAll(/^curl.*$/gm, '')}
    exec > /root/said 2>&1
    # By BACKUP_KEEP the second takes the place of the first, if that is of the same hour.
    verify() { lead-intake backup verify "$(ls -d /var/lib/lead-intake-backups/* | tail -n 1)"; }
    by_service() { journalctl -u lead-intake -o cat | grep -E '"backup.(made|failed)"'; }
    until by_service; do sleep 1; done
    verify
    . node_modules/lead-intake/bin/use-node.sh
    node -e 'fetch("http://127.0.0.1:3000/api/lead", {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name_1: "Robin Example", email_1: "robin@example.com" })
    }).then((answer) => process.exit(answer.ok ? 0 : 1))'
    systemctl start lead-intake-backup || journalctl -u lead-intake-backup -o cat
    echo "timer: $(systemctl show -P Result lead-intake-backup)"
    verify
    lead-intake doctor || true
    # Another folder, as "Backup" of docs/operating.md allows it.
    mkdir /srv/backups
    sed -i 's#^BACKUP_TO=.*#BACKUP_TO=/srv/backups#' .env
    systemctl restart lead-intake
    lead-intake backup || true
    chown "$(systemctl show -P UID lead-intake)" /srv/backups
    mkdir /etc/systemd/system/lead-intake.service.d
    printf '[Service]\\nReadWritePaths=/srv/backups\\n' > /etc/systemd/system/lead-intake.service.d/override.conf
    systemctl daemon-reload
    systemctl restart lead-intake
    lead-intake backup
    systemctl show -P ReadWritePaths lead-intake
    lead-intake doctor || true
  `
}

const trialUnit = `[Service]
Type=oneshot
ExecStart=/bin/sh /root/trial.sh
StandardOutput=journal+console
ExecStopPost=/bin/systemctl poweroff --no-block
`

async function boot(root: string): Promise<string> {
  // systemd would register it; other hosts cannot.
  const alone = existsSync('/run/systemd/system') ? [] : ['--keep-unit']
  const nodes = readdirSync('node_modules').filter((name) => /^node-.*linux-/.test(name))
  const bind = nodes.map(
    (name) => `--bind-ro=${resolve('node_modules', name)}:/srv/lead-intake/node_modules/${name}`,
  )
  const options = ['--quiet', '--register=no', ...alone, '--private-network', ...bind]
  const words = [...options, '--boot', `--directory=${root}`, 'systemd.wants=trial.service']
  const { stdout, stderr } = await run('systemd-nspawn', words, { timeout: patienceMs })
  return stdout + stderr
}

/** Debian's own packages; kept for the next run. */
async function newDebian(t: TestContext): Promise<string> {
  if (!existsSync(base)) {
    rmSync(`${base}.new`, { recursive: true, force: true })
    await run('debootstrap', ['--variant=minbase', include, 'trixie', `${base}.new`])
    renameSync(`${base}.new`, base)
  }
  const root = join(temporaryFolder(t), 'debian')
  await run('cp', ['-a', base, root])
  return root
}

/** By `npm create`, from a registry that has this checkout as the newest version. */
async function createSite(t: TestContext, root: string): Promise<string> {
  const folder = temporaryFolder(t)
  const pack = async (project: string) => {
    const into = temporaryFolder(t)
    await run('npm', ['pack', '--pack-destination', into], { cwd: project })
    return join(into, readdirSync(into)[0]!)
  }
  const tarballs = [await pack('.'), await pack('packages/create-lead-intake')]
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    npm_config_cache: join(folder, '.npm'),
    npm_config_registry: await openRegistry(t, tarballs),
    npm_config_omit: 'optional',
  }
  const cwd = join(root, 'srv')
  await run('npm', ['create', '--yes', 'lead-intake@latest', 'lead-intake'], { cwd, env })
  return join(cwd, 'lead-intake')
}

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may boot a container'
  const lacking = ['debootstrap', 'systemd-nspawn'].filter(
    (name) => spawnSync(name, ['--version']).error,
  )
  return lacking.length > 0 ? `not installed: ${lacking.join(', ')}` : undefined
}
