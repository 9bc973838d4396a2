/** The version of the API, and every path that programs use. Pages are files in content/pages. */

/** Within version 1, things are only added to the API. */
export const apiVersion = '1.0.0'

/** The removal of a part of the API is announced at least this long in advance. */
export const removalNotice = '12 months'

export const routes = {
  lead: {
    path: '/api/lead',
    operations: {
      GET: { id: 'getLeadHealth', summary: 'Health check for the lead endpoint.' },
      POST: { id: 'submitConsultationLead', summary: 'Send a Consultation request.' },
    },
  },
  /** The receipt of a lead, private to its sender. The token follows the slash. */
  receipt: {
    path: '/receipt/',
    operations: {
      GET: { id: 'getReceipt', summary: 'What has happened to a Consultation request.' },
    },
  },
  /** Appended to the address of a receipt: `/receipt/<token>/withdraw`. */
  withdraw: {
    path: '/withdraw',
    operations: {
      POST: { id: 'withdrawLead', summary: 'Withdraw a Consultation request.' },
    },
  },
  /** Appended to the address of a receipt: `/receipt/<token>/erase`. */
  erase: {
    path: '/erase',
    operations: {
      POST: { id: 'eraseLead', summary: 'Erase the details of a Consultation request.' },
    },
  },
  mcp: {
    path: '/mcp',
    operations: {
      POST: { id: 'mcp', summary: 'MCP endpoint (streamable HTTP, JSON answers, no sessions).' },
    },
  },
} as const

/** After a POST of the form, the browser is redirected here. The target is a constant and never taken from a request. */
export const thanksPath = '/thanks/'
export const contactPath = '/contact/'
export const privacyPath = '/privacy/'
export const agentsPath = '/agents/'
/** Readiness, for the operator's tools on the same machine. No public document names this path. */
export const readyPath = '/readyz'
/** Figures for Prometheus. Reading needs a token, unless the site's address is on this machine. No public document names this path. */
export const metricsPath = '/metrics'
/** The owner's inbox is at this path and below it. No public document names this path. */
export const inboxPath = '/inbox/'
/** The id of a lead follows the slash. */
export const inboxLeadPath = `${inboxPath}lead/`
export const inboxHeldPath = `${inboxPath}?view=held`
