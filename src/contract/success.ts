/** What is said, in every channel, once a lead is committed and synced; never before. */
export const receivedMessage =
  'Your Consultation request was received. I will be in touch to arrange a time.'
