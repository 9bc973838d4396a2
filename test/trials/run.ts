/**
 * `npm run trials NAME…` runs stories longer than `npm test` does, or what needs other programs;
 * `npm run trials all` runs all of them, and without a name they are listed.
 */
import { print, runParts, type Engine } from '../support/run-files.ts'

type Trial = {
  name: string
  what: string
  files: string[]
  /** What the stories read from the environment. */
  sizes?: Record<string, number>
  engines?: Engine[]
}

const both: Engine[] = ['sqlite', 'postgres']

const trials: Trial[] = [
  {
    name: 'crash',
    what: '300 kill -9 under load, 60 restarts, 2,000 keys sent five times each; 6 minutes',
    files: ['process/kill', 'process/restart', 'process/retry', 'trials/faults'],
    sizes: { STORY_KILLS: 300, STORY_RESTARTS: 60, STORY_KEYS: 2_000 },
    engines: both,
  },
  {
    name: 'doors',
    what: 'kill -9 at every door: form, JSON, MCP, command, receipt, inbox; 5 minutes',
    files: ['trials/kill-doors'],
    sizes: { STORY_DOOR_KILLS: 40 },
    engines: both,
  },
  {
    name: 'power',
    what: 'power cuts at every sync and at random moments; needs strace; 8 minutes',
    files: ['trials/power-cuts'],
    sizes: { STORY_CUT_ACTS: 600, STORY_RANDOM_CUTS: 1_000 },
  },
  {
    name: 'disk',
    what: 'failing and short writes, a full disk, a damaged file; needs strace and mount; 5 minutes',
    files: ['trials/io-errors', 'process/disk-full', 'process/database-file'],
    sizes: { STORY_IO_ERRORS: 100 },
  },
  {
    name: 'siege',
    what: '10,000 slow clients, 256 that read no answer, 200 that send ten megabytes; 1 minute',
    files: ['process/slow-clients', 'process/pipelining', 'process/raw-http'],
    sizes: { STORY_SLOW_CLIENTS: 10_000, STORY_LARGE_BODIES: 100, STORY_NON_READERS: 256 },
  },
  {
    name: 'floods',
    what: 'what a lead costs beside clients that flood, on a bare port and behind nginx; 2 minutes',
    files: ['process/floods', 'trials/floods'],
    sizes: { STORY_FLOOD_SECONDS: 5 },
  },
  {
    name: 'photos',
    what: '50 kill -9 during uploads; hostile pictures and 500 slow uploads beside leads; 6 minutes',
    files: ['process/photos-kill', 'trials/photos'],
    sizes: { STORY_PHOTO_KILLS: 50, STORY_SLOW_PHOTOS: 500 },
  },
  {
    name: 'hostile',
    what: '20,000 bodies that are made to be expensive, naughty strings in every field and email; 3 minutes',
    files: ['process/hostile-bodies', 'process/naughty-strings', 'process/delivery-hostile'],
    sizes: { STORY_HOSTILE: 20_000, STORY_NAUGHTY_STEP: 1, STORY_NAUGHTY_EMAILS: 1_000 },
  },
  {
    name: 'guessing',
    what: '10,000 wrong codes for the inbox from 1,000 addresses; 2 minutes',
    files: ['process/inbox-guessing'],
    sizes: { STORY_WRONG_CODES: 10_000 },
  },
  {
    name: 'mixed',
    what: 'every kind of request at once on 16 connections, in flat memory; 10 minutes',
    files: ['trials/mixed-traffic'],
    sizes: { STORY_MIXED_MINUTES: 10 },
  },
  {
    name: 'nodes',
    what: 'three nodes and PostgreSQL killed under load, 200,000 leads moved and back; 2 minutes',
    files: ['process/nodes', 'process/migrate-engine', 'process/journal'],
    sizes: {
      STORY_NODES_SECONDS: 30,
      STORY_NODES_KEYS: 1_000,
      STORY_DELIVERIES: 5_000,
      STORY_MOVE_LEADS: 200_000,
    },
  },
  {
    name: 'deliveries',
    what: 'channels that fail in 22 ways, kill -9 while sending; 5 minutes',
    files: ['process/delivery-failures', 'trials/delivery-kill'],
    sizes: { STORY_DELIVERY_ROUNDS: 6, STORY_DELIVERY_KILLS: 20 },
    engines: both,
  },
  {
    name: 'backup',
    what: 'backup and restore killed 100 times; 15 minutes',
    files: ['store/backup', 'store/restore', 'process/backup-kill'],
    sizes: { STORY_BACKUP_KILLS: 100 },
    engines: both,
  },
  {
    name: 'flips',
    what: 'a backup changed at 1,000 places, also encrypted; 1 minute',
    files: ['process/backup-file'],
    sizes: { STORY_FLIPS: 1_000 },
  },
  {
    name: 'upgrade',
    what: 'a migration killed at 20 moments; 2 minutes',
    files: ['trials/upgrade'],
    sizes: { STORY_MIGRATION_KILLS: 20 },
    engines: both,
  },
  {
    name: 'life',
    what: '50,000 random acts on leads, with restarts, against a model in memory; 15 minutes',
    files: ['store/life-model'],
    sizes: { STORY_LIFE_COMMANDS: 50_000 },
    engines: both,
  },
  {
    name: 'search',
    what: '500 random searches give the same list on both engines with 10,000 leads; 3 minutes',
    files: ['trials/search-engines'],
    sizes: { STORY_SEARCH_LEADS: 10_000, STORY_SEARCHES: 500 },
  },
  {
    name: 'container',
    what: 'the image, read-only, stopped under load; needs buildah and podman; 1 minute',
    files: ['trials/container'],
  },
  {
    name: 'units',
    what: 'the units of systemd in a Debian of its own; needs root, debootstrap, systemd-nspawn; 3 minutes',
    files: ['trials/units'],
  },
  {
    name: 'proxies',
    what: 'nginx and Caddy with the files of packaging/, 20 restarts under load; needs both; 1 minute',
    files: ['trials/packaged-proxies'],
    sizes: { STORY_PROXY_RESTARTS: 20 },
  },
  {
    name: 'pooler',
    what: 'two nodes behind pgbouncer in transaction mode; needs pgbouncer; 20 seconds',
    files: ['trials/pooler'],
  },
  {
    name: 'docs',
    what: 'the shell blocks of README and docs as they stand; needs curl; half a minute',
    files: ['trials/docs'],
  },
  {
    name: 'supply',
    what: 'lock file, licences and workflows; the package, packed twice and installed; half a minute',
    files: ['trials/supply', 'trials/package'],
  },
  {
    name: 'agents',
    what: 'the conformance suite of MCP, the samples of docs/agents.md; 20 seconds',
    files: ['trials/agents-mcp-conformance', 'trials/agents-samples'],
  },
  {
    name: 'words',
    what: 'the wording rules in every sentence of the site; 1 second',
    files: ['words'],
  },
]

const names = process.argv.slice(2)
if (names.length === 0) {
  for (const { name, what } of trials) print(`${name.padEnd(12)}${what}\n`)
} else {
  const chosen = names[0] === 'all' ? trials : names.map(find)
  const failed: string[] = []
  for (const trial of chosen) if (!(await isPassed(trial))) failed.push(trial.name)
  print(`\n${chosen.length} trials, ${failed.length} failed ${failed.join(', ')}\n`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

function find(name: string): Trial {
  const trial = trials.find((each) => each.name === name)
  if (trial === undefined)
    throw new Error(`There is no trial ${name}; "npm run trials" lists them.`)
  return trial
}

async function isPassed({
  name,
  files,
  sizes = {},
  engines = ['sqlite'],
}: Trial): Promise<boolean> {
  print(`\n${name}`)
  const paths = files.map((file) => `test/${file}.test.ts`)
  const env = Object.fromEntries(Object.entries(sizes).map(([key, size]) => [key, String(size)]))
  let isWell = true
  for (const engine of engines) {
    const parts = paths.map((file) => ({ engine, file }))
    const { failed } = await runParts(parts, { atOnce: 1, env })
    isWell &&= failed === 0
  }
  return isWell
}
