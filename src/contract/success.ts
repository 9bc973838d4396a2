/** What is said, in every channel, once a lead is committed and synced; never before. */
export const receivedMessage =
  'Your Consultation request was received. I will be in touch to arrange a time.'

export type LeadSuccess = {
  ok: true
  message: string
  /** Short and speakable, for the phone. */
  reference?: string
  /** Private: whoever holds it can follow the request and withdraw it. */
  status_url?: string
}

/** By which way in a lead came. */
export type Channel = 'form' | 'json' | 'mcp' | 'cli' | 'webmcp'
