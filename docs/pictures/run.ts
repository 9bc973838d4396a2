/** `node docs/pictures/run.ts` takes the pictures of README, docs and the site. Each script does so when it is loaded. */
const scripts = [
  'make-story.ts',
  'make-mail.ts',
  'make-inbox.ts',
  'make-own.ts',
  'make-moving.ts',
  'make-site.ts',
]
for (const script of scripts) await import(`./${script}`)
