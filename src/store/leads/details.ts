/** The details of a lead that the owner can correct, and what they were before each correction. */
import { personFields, type PersonKey } from '../../contract/fields.ts'
import { fromRow, insertRows, toParameters, type Engine, type Statement } from '../engine/engine.ts'
import type { Lead } from './rows.ts'

/** Each is '' if the lead lacks it. */
export type Details = Record<PersonKey, string> & {
  secondPhone: string
  street: string
  emailKey: string
  phoneKey: string
}

export function detailsOf({ values, ...lead }: Lead): Details {
  const sent = Object.fromEntries(personFields.map(({ key }) => [key, values[key]]))
  const { secondPhone = '', street = '', emailKey, phoneKey } = lead
  return { ...(sent as Record<PersonKey, string>), secondPhone, street, emailKey, phoneKey }
}

export function withDetails(lead: Lead, details: Details): Lead {
  const { secondPhone, street, emailKey, phoneKey, ...sent } = details
  const values = { ...lead.values, ...sent }
  return { ...lead, secondPhone, street, emailKey, phoneKey, values }
}

export function detailColumns({ secondPhone, street, emailKey, phoneKey, ...fields }: Details) {
  return {
    ...fields,
    added_phone: secondPhone,
    added_street: street,
    email_key: emailKey,
    phone_key: phoneKey,
  }
}

/** `number`: that of the event that replaced these details. */
export type DetailsBefore = { number: number; details: Details }

type BeforeRow = { leadId: string; number: number; details: string }

/** The details before each correction, lead by lead. The first ones are what the customer sent. */
export async function detailsBeforeOf(
  engine: Pick<Engine, 'read'>,
  leads: readonly Pick<Lead, 'id'>[],
): Promise<DetailsBefore[][]> {
  const ids = leads.map(({ id }) => id)
  const sql = `select lead_id, number, details from detail_before
    where lead_id in (${toParameters(ids.length)}) order by lead_id, number`
  const rows = (await engine.read(sql, ids)).map(fromRow<BeforeRow>)
  const byLead = Map.groupBy(rows, ({ leadId }) => leadId)
  const toBefore = ({ number, details }: BeforeRow): DetailsBefore => ({
    number,
    details: JSON.parse(details) as Details,
  })
  return ids.map((id) => (byLead.get(id) ?? []).map(toBefore))
}

/** `undoes`: the number of the correction that is taken back, whose row is then no longer needed. */
export function keepDetails(lead: Lead, undoes: number | undefined): Statement {
  const { id: leadId, version: number } = lead
  if (undoes !== undefined) {
    return ['delete from detail_before where lead_id = $1 and number = $2', [leadId, undoes]]
  }
  return insertRows('detail_before', { leadId, number, details: JSON.stringify(detailsOf(lead)) })
}
