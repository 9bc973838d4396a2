/**
 * Which Node can run the service: one with type stripping, and with the security fixes of its line.
 * Plain JavaScript that every Node since 20 reads.
 */

const leastOf24 = [24, 18, 1]
const least = [26, 5, 1]

/** Ends the process with a sentence that says what to install. */
export function refuseOldNode() {
  const version = process.versions.node
  if (isNewEnough(version)) return
  process.stderr.write(`${refusal(version)}\n`)
  process.exit(1)
}

/** @param {string} version such as `process.versions.node` */
export function isNewEnough(version) {
  const parts = version.split(/[.-]/).map(Number)
  const wanted = parts[0] === 24 ? leastOf24 : least
  const different = wanted.findIndex((part, i) => part !== parts[i])
  return different === -1 || parts[different] > wanted[different]
}

/** @param {string} version */
export function refusal(version) {
  return (
    `lead-intake needs Node ${least.join('.')} or later, or Node 24 from ${leastOf24.join('.')}; ` +
    `this is ${version}. Install a newer Node. On Linux (x64 and arm64) "npm ci" brings one, ` +
    'and "npm start" and "npm run -s lead-intake --" use it.'
  )
}
