// Reference, not to be changed: node:http that reads the body of a POST and always sends the same
// answer. Figures are comparable only while this file stays the same.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const { PORT, STATUS, CONTENT_TYPE, BODY_FILE } = process.env
const status = Number(STATUS)
const body = readFileSync(BODY_FILE)
const headers = { 'Content-Type': CONTENT_TYPE, 'Content-Length': body.length }

const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  if (request.method === 'GET') {
    response.writeHead(status, headers)
    response.end(body)
    return
  }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks).toString('utf8')
    response.writeHead(status, headers)
    response.end(body)
  })
})
server.listen(Number(PORT), '127.0.0.1')
