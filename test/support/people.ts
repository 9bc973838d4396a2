/** Who sends leads in the tests. */

/** Fills in everything. */
export const robin = {
  name_1: 'Robin Example',
  email_1: 'robin@example.com',
  phone_1: '0491 570 006',
  text_1: '2480',
  textarea_1: 'A hardwood deck of about 4 by 6 metres, one step up from the lawn.',
}

/** Gives only what is asked for. */
export const sam = { name_1: 'Sam', email_1: 'sam@example.com' }

/** Her agent writes for her, with details of its own. */
export const mai = {
  name_1: 'Mai Example',
  email_1: 'mai@example.com',
  textarea_1: 'A pergola over the back door, please. I am home on Fridays.',
  preferred_days: ['Friday'],
  agent: { name: 'helper', version: '2.1' },
}

/** Fills in what no person sees. */
export const bot = {
  name_1: 'SEO Team',
  email_1: 'seo@example.com',
  textarea_1: 'Rank your site higher.',
  botcheck: 'http://spam.example.com',
}
