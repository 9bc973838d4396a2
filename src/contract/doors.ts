/** The way in that a lead took. */
export type Door = 'form' | 'json' | 'mcp' | 'cli' | 'webmcp'
