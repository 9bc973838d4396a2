/** The thread in which the service commits to SQLite. It ends, and the service with it, if the writer throws. */
import { parentPort, workerData } from 'node:worker_threads'
import { SqliteWriter, type Order, type WriterData } from './sqlite-writer.ts'

const writer = new SqliteWriter(workerData as WriterData)

parentPort!.on('message', (order: Order) => {
  const outcomes = writer.obey(order)
  if (outcomes !== undefined) parentPort!.postMessage(outcomes)
  if (order === 'close') parentPort!.close()
})
