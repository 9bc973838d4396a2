/**
 * Every promise of the interface specification, by section. A test cites what it shows as `[id]` at
 * the end of its name; `requirements.test.ts` fails when a promise is cited by no test.
 */
export const promises: Record<string, string> = {
  '1.forms': 'Browser forms send urlencoded bodies and receive 303 redirects.',
  '1.agents': 'Agents send or accept JSON and receive 200 or 400 JSON bodies.',

  '2.1.same': 'The same fields apply in form-encoded and JSON bodies.',
  '2.1.unlisted': 'Additional, unlisted properties are allowed.',
  '2.1.name_1': 'name_1 is a required string of at least one character.',
  '2.1.email_1': 'email_1 is required and must be a valid email address.',
  '2.1.phone_1': 'phone_1 is an optional string.',
  '2.1.text_1': 'text_1, the postcode, is an optional string.',
  '2.1.textarea_1': 'textarea_1, the message, is an optional string.',
  '2.1.botcheck': 'botcheck is a honeypot that people leave empty or out.',
  '2.2': 'LeadHealth has status, always "ok".',
  '2.3': 'LeadSuccess has ok, always true, and a message that confirms receipt.',
  '2.4': 'An error is an envelope with code, message, resolution and optional details.',

  '4.1': 'GET /api/lead answers 200 application/json with LeadHealth.',
  '4.2.body': 'The request body is required, urlencoded or JSON.',
  '4.2.client':
    'A client that prefers application/json or sends it is a JSON client; every other is a browser.',
  '4.2.json-accepted': 'A lead accepted from a JSON client: 200 LeadSuccess.',
  '4.2.json-error': 'A validation or parse error of a JSON client: 400 ApiErrorEnvelope.',
  '4.2.browser-accepted': 'A lead accepted from a browser: 303 to /thanks/.',
  '4.2.browser-error': 'A validation failure of a browser: 303 to /contact/.',
  '4.2.rule': 'name_1 and a valid email_1 are required.',

  '5.open': 'No operation requires credentials.',
  '5.secrets': 'No secrets are exposed by the API.',

  '7.code': 'error.code is VALIDATION_ERROR for validation.',
  '7.message': 'error.message states that name_1 and a valid email_1 are required.',
  '7.resolution': 'error.resolution says to provide both and refers to /openapi.json.',
  '7.parse': 'A body that cannot be parsed: 400 with the envelope.',
  '7.browser': 'A validation failure of a browser: 303 to /contact/.',

  '8.name': 'name_1 has a minimum length of 1.',
  '9.path': 'There is no version segment in any path.',

  '1.discovery': 'It publishes discovery surfaces for agents.',
  '1.words': 'Wording rules for text written for the business.',
  '4.3.openapi': '/openapi.json, /openapi.yaml, /api/openapi.json.',
  '4.3.llms': '/llms.txt and /.well-known/llms.txt.',
  '4.3.sitemap': '/sitemap.xml.',
  '4.3.robots': '/robots.txt with Allow: /.',
  '4.3.twin': '/index.md, the markdown twin of a page.',
  '4.3.card': '/.well-known/mcp.json.',
  '4.3.mcp': 'POST /mcp with three tools.',
  '4.4.negotiate': 'Key pages negotiate between HTML and markdown by q-values.',
  '4.4.markdown': 'Markdown answers have their content type and Vary: Accept.',
  '4.4.missing': 'A missing path, markdown preferred: /404.md with status 404.',
  '5.description': 'The API description declares no security scheme.',
  '7.missing': 'A missing path, markdown preferred: 404 with the body of /404.md.',
  '9.version': 'The API description is OpenAPI 3.1.0, version 1.0.0.',
  '4.3.cli': 'cli.md describes a staged command-line tool.',
}

/** Promises of parts that are not built yet. Building one moves its rows up; citing one here fails. */
export const waiting: Record<string, string> = {}
