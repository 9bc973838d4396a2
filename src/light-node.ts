/** Parts of node:http without `fetch` and `WebSocket`, which an import statement would load with them. */
import type http from 'node:http'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const { get, request } = require('node:http') as typeof http
