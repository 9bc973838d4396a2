#!/usr/bin/env node
// Plain JavaScript that any Node since 20 reads, so that an old one is refused with a sentence: a
// named import of enableCompileCache would end in a SyntaxError before that.
import module from 'node:module'
import { compileCacheOf, readEnvironment } from '../src/environment.js'
import { refuseOldNode } from './node-version.js'

refuseOldNode()
const compileCache = compileCacheOf(readEnvironment())
if (compileCache !== undefined) module.enableCompileCache(compileCache)
await import('../src/operator/lead-intake.ts')
