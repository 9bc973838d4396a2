// The same as express.js with Fastify, on SQLite: checks a lead, makes one insert and answers.
// Reference, not to be changed: figures are comparable only while this file stays the same.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

const { PORT, DATA_DIR } = process.env
const db = new DatabaseSync(join(DATA_DIR, 'fastify.sqlite'))
db.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table lead (id integer primary key, received_at integer, name text, email text,
    phone text, postcode text, message text)`)
const statement = db.prepare(
  'insert into lead (received_at, name, email, phone, postcode, message) values (?, ?, ?, ?, ?, ?)',
)

const server = fastify({ keepAliveTimeout: 72_000 })
server.get('/api/lead', (_, reply) => reply.send({ status: 'ok' }))
server.post('/api/lead', (request, reply) => {
  const { name_1, email_1, phone_1 = '', text_1 = '', textarea_1 = '' } = request.body
  if (!name_1 || !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email_1)) {
    return reply.status(400).send({ error: { code: 'VALIDATION_ERROR' } })
  }
  statement.run(Date.now(), name_1, email_1, phone_1, text_1, textarea_1)
  return reply.send({ ok: true, message: 'Your request was received.' })
})
await server.listen({ port: Number(PORT), host: '127.0.0.1' })
