// Reference, not to be changed: node:http that always answers with the bytes of BODY_FILE.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const body = readFileSync(process.env.BODY_FILE)
const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': body.length }

const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(Number(process.env.PORT), '127.0.0.1')
