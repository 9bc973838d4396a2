#!/usr/bin/env node
// Plain JavaScript that any Node since 20 can read: says what is missing, or starts the real program
// with its compiled code remembered from the last start.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const least = [24, 14, 1]
const here = process.versions.node.split('.').map(Number)
const isOld = least.some(
  (part, i) => here[i] < part && least.slice(0, i).every((p, j) => p === here[j]),
)
if (isOld) {
  process.stderr.write(
    `lead-intake needs Node ${least.join('.')} or later; this is ${process.versions.node}. ` +
      'Start it with "npm start" or "npm run lead-intake --", which bring their own on Linux (x64), or install a newer Node.\n',
  )
  process.exit(1)
}
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
await import('../src/operator/lead-intake.ts')
