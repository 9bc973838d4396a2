/** cli.md, and the command `consult` as a file and as an npm package. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { documents } from '../contract/documents.ts'
import { fields, optionOf } from '../contract/fields.ts'
import { routes } from '../contract/routes.ts'
import { wordsOf } from '../contract/wording.ts'
import { markdownList, shellCode } from '../site/markdown.ts'
import { version } from '../config.ts'
import type { Facts } from './facts.ts'

const source = readFileSync(new URL('../../public/consult.mjs', import.meta.url), 'utf8')

const scriptPath = '/consult.mjs'
const packagePath = '/consult.tgz'

const stages =
  "Look, draft, check, send, follow. Nothing is sent before `send --yes`. Without `--yes`, `another-time`, `withdraw` and `erase` only say what they would do. `another-time` is for a Consultation that is booked. Put in the person's own details."

export function writeCommandLine({ baseUrl, business }: Facts): string {
  const say = wordsOf(business)
  const [, help = ''] = /const help = `([^`]+)\n`/.exec(source)!
  const rows = say(fields)
  const options = rows.map((field) => {
    const isRequired = field.required ? ' (required)' : ''
    return `\`--${optionOf(field)}\`${isRequired}: ${field.description}`
  })
  const example = rows.map((field) => `--${optionOf(field)} "${field.example}"`).join(' ')
  return [
    say('# consult: a Consultation request from the command line'),
    shellCode(`npx --yes --package=${baseUrl}${packagePath} consult --help`),
    `This runs version ${version} of \`consult\`, from this site and for this site. It is one file, needs Node 20 or later, and has no dependencies. Or get the file itself:`,
    shellCode(`curl -O ${baseUrl}${scriptPath}`, 'node consult.mjs --help'),
    '## Stages',
    say(stages),
    shellCode(
      'consult info',
      `consult draft ${example}`,
      'consult check',
      'consult send',
      'consult send --yes',
      'consult status "$STATUS_URL"',
      'consult withdraw "$STATUS_URL" --yes',
      'consult erase "$STATUS_URL" --yes',
    ),
    'The options of `draft` are the fields of the API description:',
    markdownList(options),
    '## Help',
    `\`\`\`text\n${say(help)}\n\`\`\``,
    '## Good to know',
    markdownList([
      'Beside a draft, `draft` keeps the rules of the site in a file that ends in `.rules`, so that `check` need not ask the site again while they are fresh.',
      'A draft is the JSON body of the request, with an idempotency key of its own: send it again after a failure, and it stays one request. To change a request that was sent, make a new draft.',
      'An error is `{"error":{"code","message","resolution"}}`. Failed connections, a 429 and a 5xx are tried again a few times; a short `Retry-After` is waited for.',
      'Options can be seen by other users of the same machine. Where that matters, write the draft file yourself, or pass it on standard input.',
      'Redirects are not followed, so that personal details are sent to no other address.',
      `Without Node: \`curl ${baseUrl}${routes.lead.path} -H 'Content-Type: application/json' -d @consult-draft.json\``,
    ]),
  ]
    .join('\n\n')
    .concat('\n')
}

/** The same address and version always give the same bytes, so that the ETags stay after a restart. */
export function serveCommand({ baseUrl, business }: Facts) {
  const say = wordsOf(business)
  const script = () =>
    say(source)
      .replace("home = ''", () => `home = ${JSON.stringify(baseUrl)}`)
      .replace("version = '0.0.0'", () => `version = ${JSON.stringify(version)}`)
  const manifest = {
    name: 'lead-intake-consult',
    version,
    description: `${say('Sends a Consultation request')} to ${baseUrl}, in stages: look, draft, check, send.`,
    homepage: baseUrl + documents.cli.path,
    license: 'MIT',
    bin: { consult: 'consult.mjs' },
    engines: { node: '>=20' },
  }
  const archive = () =>
    toTar({
      'package/package.json': `${JSON.stringify(manifest, null, 2)}\n`,
      'package/consult.mjs': script(),
    })
  return [
    { path: scriptPath, type: 'text/javascript; charset=utf-8', body: script, headers: {} },
    { path: packagePath, type: 'application/gzip', body: () => gzipSync(archive()), headers: {} },
  ]
}

/** POSIX ustar: every part is padded to blocks of 512 bytes, and two empty blocks end the archive. */
function toTar(files: Record<string, string>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const body = Buffer.from(text)
    return [tarHead(path, body.length), body, Buffer.alloc(-body.length & 511)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

function tarHead(path: string, size: number): Buffer {
  const octal = (number: number, digits: number) => number.toString(8).padStart(digits, '0')
  const head = Buffer.alloc(512)
  head.write(path, 0)
  head.write(octal(0o644, 7), 100)
  head.write(octal(size, 11), 124)
  // The last change: 1985-10-26T08:15:00Z, as in every package of npm.
  head.write(octal(499_162_500, 11), 136)
  // While the checksum is computed, its own field must hold blanks.
  head.write(' '.repeat(8), 148)
  head.write('0', 156)
  head.write('ustar\u000000', 257)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${octal(sum, 6)}\0 `, 148)
  return head
}
