/** Apart from export.ts: the help of the command line names them, and needs nothing else of it. */
export const exportFormats = ['jsonl', 'json', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]
