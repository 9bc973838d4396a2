#!/usr/bin/env node
// Plain JavaScript that any Node since 20 reads, so that an old one is refused with a sentence.
import { existsSync } from 'node:fs'
import { runOnInstalledNode } from './installed-node.js'
import { isNewEnough, refuseOldNode } from './node-version.js'

if (isNewEnough(process.versions.node) || !runOnInstalledNode()) {
  refuseOldNode()
  // The package holds compiled code only, a checkout the source.
  const isCheckout = existsSync(new URL('../src', import.meta.url))
  const program = isCheckout ? '../src/operator/lead-intake.ts' : '../dist/operator/lead-intake.js'
  await import('./own-imports.js')
  await import(program)
}
