// What a user would serve pages with instead: Fastify that always sends the same answer.
// Reference, not to be changed: figures are comparable only while this file stays the same.
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

const { PORT, HEADERS, BODY_FILE } = process.env
const headers = JSON.parse(HEADERS)
const body = readFileSync(BODY_FILE)

const server = fastify({ keepAliveTimeout: 72_000 })
server.get('/*', (_, reply) => reply.headers(headers).send(body))
await server.listen({ port: Number(PORT), host: '127.0.0.1' })
