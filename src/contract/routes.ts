/** The version of the API, and every path that programs use. Pages are files in content/pages. */

/** Within version 1 things are only added. */
export const apiVersion = '1.0.0'

/** At least this long between announcing a removal and the removal. */
export const removalNotice = '12 months'

export const routes = {
  lead: {
    path: '/api/lead',
    operations: {
      GET: { id: 'getLeadHealth', summary: 'Health check for the lead endpoint.' },
      POST: { id: 'submitConsultationLead', summary: 'Send a Consultation request.' },
    },
  },
  /** Private to the sender of a lead. The token follows the slash. */
  receipt: {
    path: '/receipt/',
    operations: {
      GET: { id: 'getReceipt', summary: 'What has happened to a Consultation request.' },
    },
  },
  /** Follows the token. */
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

/** Where a browser is redirected after a post. Constants: never taken from a request. */
export const thanksPath = '/thanks/'
export const contactPath = '/contact/'
export const privacyPath = '/privacy/'
export const agentsPath = '/agents/'
/** Readiness, for the operator's tools on the same machine; not published. */
export const readyPath = '/readyz'
/** Figures for Prometheus, with a token or, before the site is published, for the same tools; not published. */
export const metricsPath = '/metrics'
/** The owner's inbox lies below it; not published. */
export const inboxPath = '/inbox/'
/** The id of a lead follows. */
export const inboxLeadPath = `${inboxPath}lead/`
export const inboxHeldPath = `${inboxPath}?view=held`
