/**
 * The format of content/, which business.yaml names. Content of every older format stays readable:
 * test/data/content-formats/ has one of each.
 */
export const newestFormat = 1

/** What each format brought, for `content check`. */
const changes: readonly { format: number; words: string }[] = [
  { format: 1, words: 'business.yaml: abn and insurance are shown at the foot of every page' },
  { format: 1, words: 'work.yaml and photos/: finished jobs, a portrait, words of clients' },
  { format: 1, words: 'public/: pictures and icons of your own replace those of the program' },
  { format: 1, words: 'style.css: colours and type of your own' },
  {
    format: 1,
    words:
      'pages/thanks-unsent.md: /thanks/ for a browser that has no reference to show; without it the program shows its own',
  },
  { format: 1, words: 'pages: {{ask}} and {{ring}} put the phone number where a reader decides' },
  {
    format: 1,
    words: 'pages/agents.md: {{errors}} and {{tools}} can go; the documents for agents have both',
  },
]

/** `undefined`: no number. */
export function newsSince(format = 0): string[] {
  return changes.filter((change) => change.format > format).map(({ words }) => words)
}
