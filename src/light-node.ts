/**
 * Parts of node without what an import statement would load with them, or before they are needed.
 * node:http brings `fetch` and `WebSocket`: 45 ms of every start; node:zlib takes 8 ms.
 */
import type http from 'node:http'
import { createRequire } from 'node:module'
import type zlib from 'node:zlib'

const require = createRequire(import.meta.url)

export const { createServer, get, request, STATUS_CODES, validateHeaderName, validateHeaderValue } =
  require('node:http') as typeof http

export const loadZlib = () => require('node:zlib') as typeof zlib
