// Reference, not to be changed: node:http that reads the body and sends a fixed answer, as long as the
// answer to a lead sent as JSON.
import { createServer } from 'node:http'

const body = JSON.stringify({
  ok: true,
  message: 'Your Consultation request was received. I will be in touch to arrange a time.',
  reference: 'C-7K3QM',
  status_url: 'http://localhost:3000/receipt/C-7K3QM.5f0c6e3c9a7b4d21b8e0d4c1f2a39687',
})
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }

const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks).toString('utf8')
    response.writeHead(200, headers)
    response.end(body)
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1')
