/** Links by which the owner reaches a sender from his own phone and mail. */

/** What a phone dials; `undefined`: it could not. */
export function dialledNumber(phone: string): string | undefined {
  const digits = phone.replaceAll(/[^+\d]/g, '')
  return /^\+?\d{6,15}$/.test(digits) ? digits : undefined
}

export function replyLink(email: string, reference: string): string {
  const [local = '', domain = ''] = email.split('@')
  const subject = encodeURIComponent(`Your Consultation request ${reference}`)
  return `mailto:${encodeURIComponent(local)}@${domain}?subject=${subject}`
}
