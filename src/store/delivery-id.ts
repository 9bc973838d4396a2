/**
 * The id of a delivery: what it tells of, a slash, and its channel. Adding the same delivery twice
 * therefore adds it once.
 */
export function toDeliveryId(subject: string, channel: string): string {
  return `${subject}/${channel}`
}

/**
 * What a delivery tells of. For a lead that came in, the subject is the id of the lead itself; for
 * a notice that is not about one lead, a name of its own, such as `flood-1794783600000`.
 */
export const subjects = {
  move: (leadId: string, eventNumber: number) => `${leadId}/${eventNumber}`,
  reminder: (leadId: string) => `${leadId}/waiting`,
}

/**
 * The id that receivers see, the same in every channel. It has no dots: the signature of a webhook
 * uses them between its parts.
 */
export function toMessageId({ id, channel }: { id: string; channel: string }): string {
  return id.slice(0, -channel.length - 1).replaceAll(/[^\w-]/g, '-')
}
