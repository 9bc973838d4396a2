// Reference, not to be changed: node:http that always answers with the body of GET /api/lead. Plain
// JavaScript, so that the cold start measures Node alone.
import { createServer } from 'node:http'

const body = '{"status":"ok"}'
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }

const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(Number(process.env.PORT), '127.0.0.1')
