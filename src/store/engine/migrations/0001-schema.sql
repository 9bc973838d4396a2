-- Each field of a request has a column too, which a start adds: see addFieldColumns.
create table lead (
  id text primary key not null,
  reference text not null,
  received_at integer not null,
  unlisted text not null,
  botcheck text not null,
  door text not null,
  agent text not null,
  client text not null,
  user_agent text not null,
  fingerprint text not null,
  score integer not null,
  reasons text not null,
  state text not null,
  state_changed_at integer not null,
  version integer not null,
  erased_at integer,
  -- The one date of a lead: when to ring again, or the visit.
  next_at integer,
  next_for text,
  visit_place text,
  -- 1: the sender may see the time of the visit.
  visit_shown integer,
  -- The member who looks after it.
  taken_by text
) strict;

create unique index lead_by_reference on lead (reference);
create index lead_by_state on lead (state, id);
create index lead_by_next on lead (state, next_at, id) where next_at is not null;
-- Requests after the first call: by their date, else since when they stand there.
create index lead_by_due on lead (state, (coalesce(next_at, state_changed_at)), id)
  where state in ('contacted', 'consultation_booked');

-- What makes two requests one lead: each key belongs to a lead until it expires. Small, since expired
-- keys are deleted each night; an index over the random keys of all leads would cost as much as the rest.
create table dedup (
  key text primary key not null,
  lead_id text not null,
  until integer not null
) strict, without rowid;

create index dedup_by_lead on dedup (lead_id);

create table event (
  lead_id text not null,
  number integer not null,
  at integer not null,
  kind text not null,
  data text not null,
  primary key (lead_id, number)
) strict, without rowid;

create table delivery (
  id text primary key not null,
  lead_id text not null,
  channel text not null,
  kind text not null,
  about text not null default '',
  due_at integer not null,
  -- When it was first due: due_at moves with each try.
  due_since integer not null,
  attempts integer not null,
  leased_until integer not null default 0,
  -- '' while it is on its way; then 'delivered', 'gathered', 'dead' or 'dropped'.
  outcome text not null default '',
  problem text not null default '',
  done_at integer
) strict;

create index delivery_by_lead on delivery (lead_id);
create index delivery_waiting on delivery (channel, due_at, id) where done_at is null;
create index delivery_dead on delivery (channel, done_at) where outcome = 'dead';

create table delivery_try (
  delivery_id text not null,
  at integer not null,
  number integer not null,
  outcome text not null,
  answer text not null,
  ms integer not null,
  primary key (delivery_id, at, number)
) strict, without rowid;

-- When a thing that happens at most once in a while last happened.
create table once (
  id text primary key not null,
  at integer not null,
  about text not null
) strict, without rowid;

-- What all nodes of an installation share.
create table installation (
  name text primary key not null,
  value text not null
) strict;

create table probe (
  id integer primary key,
  at integer not null,
  room text not null default ''
) strict;

-- For the number of letters in the last hour, and of those that were left out.
create index delivery_done on delivery (channel, done_at) where done_at is not null;

-- Who may open the inbox. A member who has left keeps the row: events name its id.
create table member (
  id text primary key not null,
  name text not null,
  email text not null,
  made_at integer not null,
  ended_at integer,
  -- 1: letters about requests go to this member, too.
  mailed integer not null default 1,
  -- How often the address of this member's calendar was renewed.
  feed integer not null default 0
) strict;

create unique index member_by_email on member (email) where ended_at is null;

-- `rp_id`: the host it was made for. It works at no other.
create table passkey (
  id text primary key not null,
  member_id text not null,
  rp_id text not null,
  public_key text not null,
  counter integer not null,
  backed_up integer not null,
  name text not null,
  made_at integer not null,
  used_at integer
) strict;

create index passkey_by_member on passkey (member_id);

create table session (
  id text primary key not null,
  secret_hash text not null,
  member_id text not null,
  made_at integer not null,
  seen_at integer not null,
  ends_at integer not null,
  proved_at integer not null
) strict;

create index session_by_member on session (member_id);

-- A browser that shows notifications. `id`: a hash of the endpoint, which is its address at a push service.
create table push_device (
  id text primary key not null,
  member_id text not null,
  session_id text not null,
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  name text not null,
  made_at integer not null
) strict;

-- Printed links and mailed codes, each for one use, and the answers of passkeys that were used.
create table ticket (
  hash text primary key not null,
  kind text not null,
  member_id text,
  -- Tries of a mailed code, which works for five.
  tries integer not null,
  ends_at integer not null,
  data text not null
) strict;

create index ticket_by_end on ticket (ends_at);

-- What the owner writes about a lead. It belongs to the event of the same number.
create table note (
  lead_id text not null,
  number integer not null,
  at integer not null,
  member_id text not null,
  words text not null,
  primary key (lead_id, number)
) strict, without rowid;

-- Who sent a lead: keyed hashes of the email and the phone number.
create table person_key (
  key text not null,
  lead_id text not null,
  primary key (key, lead_id)
) strict, without rowid;

create index person_key_by_lead on person_key (lead_id);
