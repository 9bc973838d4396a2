/** Every path the service answers to a program, and what it is for. Pages are files in content/pages. */
export const routes = {
  lead: {
    path: '/api/lead',
    operations: {
      GET: { id: 'getLeadHealth', summary: 'Health check for the lead endpoint.' },
      POST: { id: 'submitConsultationLead', summary: 'Send a Consultation request.' },
    },
  },
  /** A private address for whoever sent a lead; the token stands after the slash. */
  receipt: {
    path: '/receipt/',
    operations: {
      GET: { id: 'getReceipt', summary: 'What has happened to a Consultation request.' },
    },
  },
  /** Stands after the token. */
  withdraw: {
    path: '/withdraw',
    operations: {
      POST: { id: 'withdrawLead', summary: 'Withdraw a Consultation request.' },
    },
  },
  mcp: {
    path: '/mcp',
    operations: {
      POST: { id: 'mcp', summary: 'MCP endpoint (streamable HTTP, JSON answers, no sessions).' },
    },
  },
} as const

/** Where a browser goes after a post. Constants, never anything a request said. */
export const thanksPath = '/thanks/'
export const contactPath = '/contact/'
/** What is done with a person's details. */
export const privacyPath = '/privacy/'
/** For agents and their makers. */
export const agentsPath = '/agents/'
/** For the operator's tools on the same machine; not published. */
export const readyPath = '/readyz'
/** The owner's own: below it stand signed addresses out of his mail. */
export const tapPath = '/tap/'
