/** The way in that a lead took. `canary`: the daily test lead, which is removed again. */
export type Door = 'form' | 'json' | 'mcp' | 'cli' | 'webmcp' | 'canary'
