/** A business and two pages to write documents from. */
import { Html } from '../../src/html.ts'
import { readBusiness } from '../../src/site/business.ts'
import type { Page } from '../../src/site/page.ts'
import type { Facts } from '../../src/discovery/facts.ts'

export const home: Page = {
  path: '/',
  name: 'index',
  title: 'Decks & pergolas',
  description: 'What I build, and where.',
  updated: '2026-11-10',
  label: undefined,
  indexed: true,
  markdown: '# A deck that fits\n\nI build [decks](https://decks.example.com/decks.md).\n',
  pictured: '',
  main: () => new Html('<h1>A deck that fits</h1>'),
}

export const thanks: Page = {
  ...home,
  path: '/thanks/',
  name: 'thanks',
  title: 'Thank you',
  indexed: false,
  markdown: '# Thank you\n',
}

export const facts: Facts = {
  baseUrl: 'https://decks.example.com',
  business: readBusiness('content/business.yaml'),
  pages: [thanks, home],
}
