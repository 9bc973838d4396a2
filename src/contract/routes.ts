/** Every path the service answers, and what it is for. */
export const routes = {
  lead: {
    path: '/api/lead',
    operations: {
      GET: { id: 'getLeadHealth', summary: 'Health check for the lead endpoint.' },
      POST: { id: 'submitConsultationLead', summary: 'Send a Consultation request.' },
    },
  },
} as const

/** Where a browser goes after a post. Constants, never anything a request said. */
export const thanksPath = '/thanks/'
export const contactPath = '/contact/'
export const receiptPath = '/receipt/'
