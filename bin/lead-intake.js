#!/usr/bin/env node
// Plain JavaScript that any Node since 20 reads, so that an old one is refused with a sentence: a
// named import of enableCompileCache would end in a SyntaxError before that.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { isNewEnough, refuseOldNode } from './node-version.js'

if (isNewEnough(process.versions.node) || !(await runOnNewerNode())) {
  refuseOldNode()
  await run()
}

/** Loaded only where it is needed: it would take a fiftieth of every start. */
async function runOnNewerNode() {
  const { runOnInstalledNode } = await import('./installed-node.js')
  return runOnInstalledNode()
}

async function run() {
  // The package holds compiled code only, a checkout the source.
  const isCheckout = existsSync(new URL('../src', import.meta.url))
  const folder = isCheckout ? '../src' : '../dist'
  const { compileCacheOf, readEnvironment } = await import(`${folder}/environment.js`)
  const compileCache = compileCacheOf(readEnvironment())
  if (compileCache !== undefined) module.enableCompileCache(compileCache)
  await import(`${folder}/operator/lead-intake.${isCheckout ? 'ts' : 'js'}`)
}
