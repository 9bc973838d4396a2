/** What is said, in every channel, once a lead is committed and synced; never before. */
export const receivedMessage =
  'Your Consultation request was received. I will be in touch to arrange a time.'

/** By which way in a lead came. `canary`: the daily test of the road, which is no lead and does not stay. */
export type Channel = 'form' | 'json' | 'mcp' | 'cli' | 'webmcp' | 'canary'
