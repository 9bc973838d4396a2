/**
 * Every promise, by its id. A test cites what it shows as `[id]` at the end of its name;
 * `requirements.test.ts` fails when a promise is cited by no test. An id goes only in the commit that
 * deletes its promise.
 */
export const promises: Record<string, string> = {
  // The interface specification, by section
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

  // Leads kept
  'keep.batch': 'A lead and its notifications are kept together or not at all.',
  'keep.sync': 'A lead is synced to disk before its sender is told "received".',
  'keep.kill': 'An acknowledged lead survives kill -9 and a crash at any moment, whole and once.',
  'keep.stop': 'A stop finishes the requests it began and loses no acknowledged lead.',
  'keep.full':
    'Posts get 503 with Retry-After while the disk is full, and leads are taken again without a restart.',
  'keep.locked':
    'Posts get 503 with Retry-After while another program locks the database, and leads are taken again without a restart.',
  'keep.replaced': 'Nobody is thanked in vain when the database file is replaced or deleted.',
  'keep.ends':
    'The service says so and ends with 1 when its database file is replaced or vanishes.',
  'keep.upgrade': 'A database or a backup of the first schema is migrated, and its leads go on.',
  'keep.page':
    'The page of a form that was refused holds every typed word and offers to send again.',
  'keep.text': 'A lead is kept with the text that was sent, whatever signs it has.',

  // Repeats
  'repeat.key': 'The same Idempotency-Key and lead get the first answer again for seven days.',
  'repeat.content':
    'The same content without a key from the same address within ten minutes is one lead.',
  'repeat.both': 'A lead that is sent with a key and then without one is one lead.',
  'repeat.at-once':
    'A key that is sent many times, at once, to several nodes or across kill -9, is one lead.',
  'repeat.reused': 'A key that comes again with another lead gets 422.',
  'repeat.stranger': 'A stranger who guesses a key learns and changes nothing.',
  'repeat.withdrawn':
    'A withdrawn request that is sent again is a new lead, and its key says that it was withdrawn.',
  'repeat.erased':
    'The content of an erased lead, sent again, is a new lead; its random key answers 409 until it ends.',

  // Spam and limits
  'spam.held':
    'A suspicious lead is answered like any other and is kept as held, for the owner to release.',
  'spam.blocked':
    'A sender whom the owner marked as spam is held from then on, by email or number, until he is allowed again.',
  'spam.autofill': 'A browser that fills in the trap by itself costs no person a lead.',
  'limit.soft': 'Leads past the soft limit of an address are taken and held.',
  'limit.retries': 'Retries of one lead never count as many.',
  'limit.hard':
    'Requests past the hard limit of an address get 429 and the time after which they are served again.',

  // References and receipts
  'reference.own':
    'Every lead has a reference of its own, which is understood as people say and type it.',
  'receipt.private':
    'A receipt opens by its token only, and tells how the request is going and nothing of the person.',
  'receipt.another-time':
    'A sender asks for another time for a visit that is shown, once however often.',
  'receipt.withdraw': 'A sender withdraws a request by its receipt, once however often.',

  // States, moves, undo and notes
  'move.road': 'A lead moves along the states only, and a refusal says which moves are allowed.',
  'move.by': 'The history says which member made a move.',
  'move.overtaken':
    'A move from a page that was overtaken is not made, and the page says what happened.',
  'move.taps': 'A signed-in member marks a lead as contacted with two taps.',
  'undo.move':
    'Undo restores the state before a move, and the visit with its place, once, and is in the history.',
  'note.kept':
    'Notes that are written side by side are all kept, and one that cannot be kept comes back in its field.',

  // Figures
  'figures.page':
    'The inbox tells of thirteen weeks: requests by week, place and door, the wait in opening hours, and what became of them.',

  // Search
  'search.restored': 'A search in a restored backup finds the right leads after deletions.',
  'search.words':
    'A search finds leads by words however accented, digits of a phone, part of an email, or a reference.',
  'search.at-once': 'A lead and a note are found as soon as they are kept.',
  'search.engines': 'Both engines give the same list for the same search.',

  // Erasing and retention
  'erase.shown': 'An erased lead is gone at once from the inbox, the search and the deliveries.',
  'erase.files': 'An erased lead leaves no word of the person in the database files.',
  'erase.person': 'Erasing a person reaches all leads of that person and of nobody else.',
  'erase.sender':
    'The sender erases a request from its receipt, at once; no retry brings its details back.',
  'retention.due': 'Old spam, held and closed leads are erased by night, and all others stay.',

  // Deliveries
  'deliver.visit':
    'Where switched on, a sender is mailed a shown visit that is booked, changed or called off, once, and none that is over.',
  'deliver.kept':
    'Where switched on, a customer who asked for another time is mailed once that the time stays.',
  'deliver.readdressed': 'A corrected email address is mailed the visit that lies ahead, once.',
  'deliver.asked':
    'The owner is told once of each customer who asks for another time, in their words.',
  'deliver.withdrawn':
    'A request that was withdrawn before its notice left is told to webhooks, not to people.',
  'deliver.all': 'Every lead is told through every channel, under one id however often it is sent.',
  'deliver.once': 'Two workers or nodes send nothing twice.',
  'deliver.order': 'Emails and events about one lead come in order.',
  'deliver.retry': 'A delivery that fails is retried for three days and then given up.',
  'deliver.dead': 'A delivery that is given up is told through every other channel.',
  'deliver.held': 'The morning email alone names held leads, likeliest people first.',
  'deliver.morning':
    'Each day at opening one email names what waits, longest first; none where nothing waits.',
  'deliver.thirty':
    'The owner gets at most thirty emails about leads in an hour, and one email for the rest.',
  'deliver.email':
    'An email shows every field and leads to its lead in the inbox, and no text changes its headers or markup.',
  'webhook.signed': 'Every webhook is signed.',
  'webhook.safe': 'A webhook needs TLS unless it is local, and follows no redirect.',
  'push.notified':
    'A new or released request is on every device of every member at once, with its place and no name.',
  'push.once': 'A device that fails is told later, and the others are not told again.',
  'push.ends': 'A device is told nothing once it is signed out, removed, or gone from its service.',
  'push.own': 'A member sees, tests and removes his own devices only.',
  'push.known': 'A message goes to a known push service only, encrypted and signed.',
  'heartbeat.commit': 'A heartbeat is sent after a test commit, and says so when there was none.',

  // Sign-in
  'sign-in.shut': 'Strangers who ask for codes and guess them do not keep a member out.',
  'sign-in.link': 'A printed link signs its member in once, and opening it changes nothing.',
  'sign-in.code': 'A mailed code signs in once, in the browser that asked, within ten minutes.',
  'sign-in.passkey': 'A passkey signs in, and each of its answers is good once.',
  'sign-in.again':
    'Erasing, exporting and changing members need a proof of the last ten minutes, and the way leads back.',
  'sign-in.words': 'Words that were typed come back after signing in again.',
  'sign-in.guess': 'Thousands of guesses get nobody in, and a code allows five tries.',
  'sign-in.stranger': 'Nothing is stored for a stranger who asks for a challenge.',
  'sign-in.email':
    'The link in an email signs nobody in and moves nothing, and leads to its lead after signing in.',
  'sign-in.ends': 'A session ends thirty days after the last visit.',
  'sign-in.members': 'A member whose membership ends is signed out at once and has no way in.',
  'inbox.cross-site': 'A page of another site changes nothing in the inbox.',
  'inbox.routes': 'Every route of the inbox serves only those who may use it.',
  'inbox.text': 'Text of strangers is shown in the inbox as text.',

  // Backup
  'backup.room': 'A backup is refused before it begins where there is no room for it.',
  'backup.inside': 'A backup has every lead that was acknowledged before it began.',
  'backup.tools':
    'A backup opens with common tools alone, holds database, secret and content, and is readable by its owner only.',
  'backup.flip':
    'A changed byte of a backup is refused or changes nothing in it; a missing end and bytes behind its end are refused.',
  'backup.key': 'An encrypted backup opens with its own key only.',
  'backup.kill':
    'A kill at any moment leaves no bad backup under a good name, and the service starts.',
  'backup.erased': 'A lead that was erased after the backup stays erased after a restore.',
  'backup.members':
    'A restore brings back no session, and takes members and passkeys from the database that is there.',
  'backup.stopped': 'A restore is refused while the service runs.',
  'backup.empty': 'A restore on an empty machine brings everything back.',
  'backup.clock': 'A backup is made whenever one is due, by one node of several.',
  'backup.keep': 'The keep rules delete the backups that no rule names, and never the newest.',
  'backup.hand': 'A backup made by hand is never deleted by the keep rules.',
  'backup.journal': 'A backup counts and names the leads that wait for PostgreSQL.',
  'backup.names': 'A restore into an empty folder prints the members that it brings back.',
  'backup.own': 'The keep rules delete backups of their own installation only.',
  'backup.target': 'A restore into PostgreSQL is refused where the database is not empty.',
  'backup.drill':
    'The operator lists, verifies and drills backups, and a drill finds missing leads.',

  // Nodes and PostgreSQL
  'nodes.away':
    'A lead is received while PostgreSQL is away, and is in the database when it is back.',
  'nodes.once': 'A lead is in the database once, though nodes and PostgreSQL are killed or hang.',
  'nodes.start': 'A node starts and takes leads while PostgreSQL is away.',
  'nodes.move': 'Leads that are moved to the other engine and back are equal.',

  // The owner's day
  'day.whole':
    'Two members, on a phone and at a desk, take a request from its coming in to won, in a browser.',
  'next.ring':
    'After no answer a request comes back at the time that was chosen, and is red when that has passed.',
  'next.asked':
    'A customer who asks for another time comes first in Today and in the morning email; the visit stands.',
  'next.today': 'Today has what is due, then the new requests, the longest wait first.',
  'next.back':
    'An open request without a date is back in Today, and in the morning email, after seven days.',
  'next.visit': 'A new request is booked in one press, with day, hour and place.',
  'next.one':
    'Requests that belong together are joined by the owner, and from then on are one row, one visit and one proposal.',
  'next.calendar':
    'The visits of a member are in a private calendar feed, with names only if he asks for them.',
  'next.taken': 'A request is taken by one member, and the others see by whom.',
  'deliver.stuck': 'While notices do not go out, the inbox says so, and what to do.',
  'next.receipt':
    'The receipt shows the time of the visit where the owner allows it, and never that of a press; afterwards, that we have met.',
  'member.emails':
    'A new member is notified by mail, gets emails about requests, and can switch them off.',
  'next.replies': "The owner's own texts open in his phone or mail, filled in for the person.",
  'next.live': 'An open list tells of new requests, and of dates that have come, without a reload.',

  // HTTP edge and errors
  'edge.slow': 'Slow clients are shed while all others are served.',
  'edge.address':
    'One address cannot take all connections, and those of a trusted proxy are not counted.',
  'edge.gone': 'Nothing is worked out for a client that has gone, and a lead that it sent is kept.',
  'edge.pipelined': 'Pipelined requests, with or without bodies, hardly delay the leads of others.',
  'edge.unread': 'A connection that does not read is closed, and leads are taken beside it.',
  'edge.hostile': 'No hostile body causes a 5xx, a long answer or more than 30 ms of work.',
  'error.field': 'Bad input gets a 4xx that names each field, its problem and an example.',
  'error.private': 'An error never repeats what was sent.',
  'mcp.errors': 'A wrong argument of a tool gets an error that an agent can act on.',
  'command.staged':
    'A request goes from draft to check to send by command, then to status, withdraw and erase.',

  // Site
  'discover.links':
    'An agent finds every page, twin and document from the address alone, by links.',
  'form.problem':
    'A failed post comes back with every typed word and the problem beside its field.',
  'plain.form': 'The form and the receipt work without scripts.',
  'plain.inbox': 'The inbox works without scripts.',
  'axe.pages': 'Every page of the site and of the inbox passes axe.',
  'content.line':
    'A mistake in the content stops the start, and every mistake is named with its line.',

  // Operator
  'log.block': 'A reader of the log that stops reading holds up no lead.',
  'log.gone': 'A log that cannot be written, without a reader or on a full disk, ends no service.',
  'log.private': 'The log has no name, email, phone, message, code or token.',
  'url.private': 'No address has words that somebody typed.',
  'operator.setting':
    'A wrong setting stops the start with a sentence, and config shows every setting without secrets.',
  'operator.doctor':
    'doctor finds a service well, and names trouble such as a mail server that is away.',
  'operator.start': 'npm start runs one process that serves until SIGTERM.',
}

/** Promises of parts that are not built yet. Building one moves its rows up; citing one here fails. */
export const waiting: Record<string, string> = {}
