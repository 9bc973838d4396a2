/** What a test cleans up with: its context, or for all tests of a file `{ after }` of node:test. */
export type Cleaner = { after(callback: () => unknown): void }
