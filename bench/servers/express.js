// What a user would write instead of this service: Express that checks a lead, makes one insert and
// answers when it is committed. On SQLite (WAL, full sync), or on PostgreSQL with DATABASE_URL.
// Reference, not to be changed: figures are comparable only while this file stays the same.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import express from 'express'
import pg from 'pg'

const { PORT, DATA_DIR, DATABASE_URL } = process.env
const columns = '(received_at, name, email, phone, postcode, message)'
const insert = DATABASE_URL === undefined ? onSqlite() : await onPostgres()

const app = express()
app.use(express.json())
app.get('/api/lead', (_, response) => response.json({ status: 'ok' }))
// Express 5 catches what a handler rejects.
// oxlint-disable-next-line oxc/no-async-endpoint-handlers
app.post('/api/lead', async (request, response) => {
  const { name_1, email_1, phone_1 = '', text_1 = '', textarea_1 = '' } = request.body
  if (!name_1 || !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email_1)) {
    response.status(400).json({ error: { code: 'VALIDATION_ERROR' } })
    return
  }
  await insert([Date.now(), name_1, email_1, phone_1, text_1, textarea_1])
  response.json({ ok: true, message: 'Your request was received.' })
})
const server = app.listen(Number(PORT), '127.0.0.1')
server.keepAliveTimeout = 72_000

function onSqlite() {
  const db = new DatabaseSync(join(DATA_DIR, 'express.sqlite'))
  db.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table lead (id integer primary key, received_at integer, name text, email text,
      phone text, postcode text, message text)`)
  const statement = db.prepare(`insert into lead ${columns} values (?, ?, ?, ?, ?, ?)`)
  return (values) => statement.run(...values)
}

async function onPostgres() {
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
  await pool.query(`create table express_lead (id bigserial primary key, received_at bigint,
    name text, email text, phone text, postcode text, message text)`)
  const sql = `insert into express_lead ${columns} values ($1, $2, $3, $4, $5, $6)`
  return (values) => pool.query(sql, values)
}
