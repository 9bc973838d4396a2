/** The values of inline placeholders such as `{{business.name}}`. */
import type { Business } from '../contract/business.ts'
import {
  hardLimit,
  heldLimit,
  idempotencyKeyLength,
  inKibibytes,
  keyKeptMs,
  maxBodyBytes,
  repeatWindowMs,
  softLimit,
  unlistedLimits,
} from '../contract/limits.ts'
import { apiVersion, removalNotice } from '../contract/routes.ts'
import { dayMs, minuteMs } from '../time.ts'
import { dialled } from './ring.ts'

export function factsFor(business: Business, baseUrl: string): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({
      'business.name': business.name,
      'business.owner': business.owner,
      'business.summary': business.summary,
      'business.region': business.region,
      'business.state': business.state,
      'business.phone': business.contact.phone,
      'business.tel': dialled(business.contact.phone),
      'business.email': business.contact.email,
      'privacy.email': business.privacy.email,
      'security.email': business.security.email,
      base_url: baseUrl,
      'api.version': apiVersion,
      'api.notice': removalNotice,
      ...limitsInWords,
    }),
  )
}

const limitsInWords = {
  'limit.body': inKibibytes(maxBodyBytes),
  'limit.soft': `${softLimit.leads} leads in ${minutes(softLimit.windowMs)}`,
  'limit.hard': `${hardLimit.requests} requests in ${minutes(hardLimit.windowMs)}`,
  'limit.held': `${heldLimit.bytes / 1_000_000} MB in ${heldLimit.windowMs / dayMs} day`,
  'limit.key': `${keyKeptMs / dayMs} days`,
  'limit.key_length': `${idempotencyKeyLength.min} to ${idempotencyKeyLength.max} characters`,
  'limit.repeat': minutes(repeatWindowMs),
  'limit.unlisted': `${unlistedLimits.fields} fields, ${inKibibytes(unlistedLimits.bytes)} as JSON, ${unlistedLimits.depth} levels deep`,
}

function minutes(ms: number): string {
  const count = ms / minuteMs
  return count === 1 ? 'one minute' : `${count} minutes`
}
