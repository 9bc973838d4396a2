/** The public paths, and the operations of the API. */

/** Within version 1, things are only added to the API. */
export const apiVersion = '1.0.0'

/** The least time between the announcement and the removal of a part of the API. */
export const removalNotice = '12 months'

export const routes = {
  lead: {
    path: '/api/lead',
    operations: {
      GET: { id: 'getLeadHealth', summary: 'Health check for the lead endpoint.' },
      POST: { id: 'submitConsultationLead', summary: 'Send a Consultation request.' },
    },
  },
  receipt: {
    path: '/receipt/',
    operations: {
      GET: { id: 'getReceipt', summary: 'What has happened to a Consultation request.' },
    },
  },
  /** The paths below follow the token: `/receipt/<token>/withdraw`. */
  withdraw: {
    path: '/withdraw',
    operations: {
      POST: { id: 'withdrawLead', summary: 'Withdraw a Consultation request.' },
    },
  },
  erase: {
    path: '/erase',
    operations: {
      POST: { id: 'eraseLead', summary: 'Erase the details of a Consultation request.' },
    },
  },
  anotherTime: {
    path: '/another-time',
    operations: {
      POST: { id: 'askForAnotherTime', summary: 'Ask for another time for a booked Consultation.' },
    },
  },
  visitFile: {
    path: '/visit.ics',
    operations: {
      GET: { id: 'getVisitFile', summary: 'The booked Consultation as a calendar file.' },
    },
  },
  photos: {
    path: '/photos',
    operations: {
      POST: { id: 'addPhoto', summary: 'Add a photo to a Consultation request.' },
    },
  },
  mcp: {
    path: '/mcp',
    operations: {
      POST: { id: 'mcp', summary: 'MCP endpoint (streamable HTTP, JSON answers, no sessions).' },
    },
  },
} as const

/** Below a receipt, which names them in full; the star is the id of a photo. */
export const photoPath = `${routes.photos.path}/*`
export const removePhotoPath = `${photoPath}/remove`

export const thanksPath = '/thanks/'
export const contactPath = '/contact/'
/** Answers whether a postcode or town is in the area. It comes by POST, so that no address and no log has it. */
export const comePath = '/do-i-come/'
export const privacyPath = '/privacy/'
export const agentsPath = '/agents/'
/** No public document names this path or those below. */
export const readyPath = '/readyz'
export const metricsPath = '/metrics'
export const inboxPath = '/inbox/'
export const inboxLeadPath = `${inboxPath}lead/`
export const inboxHeldPath = `${inboxPath}?view=held`
