#!/usr/bin/env node
// Plain JavaScript that any Node since 20 reads, so that an old one is refused with a sentence: a
// named import of enableCompileCache would end in a SyntaxError before that.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { refuseOldNode } from './node-version.js'

refuseOldNode()
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
await import('../src/operator/lead-intake.ts')
