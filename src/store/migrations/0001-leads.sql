create table lead (
  id text primary key not null,
  received_at integer not null,
  name text not null,
  email text not null,
  phone text not null,
  postcode text not null,
  message text not null,
  unlisted text not null,
  botcheck text not null,
  channel text not null,
  agent text not null,
  client text not null,
  user_agent text not null,
  claim text,
  claim_until integer not null,
  fingerprint text not null,
  score integer not null,
  reasons text not null,
  state text not null,
  state_changed_at integer not null,
  event_count integer not null,
  event_head text not null,
  erased_at integer
) strict;

create index lead_by_state on lead (state, id);
create unique index lead_by_claim on lead (claim) where claim is not null;

create table event (
  lead_id text not null,
  number integer not null,
  at integer not null,
  kind text not null,
  data text not null,
  hash text not null,
  primary key (lead_id, number)
) strict, without rowid;

create table delivery (
  id text primary key not null,
  lead_id text not null,
  channel text not null,
  kind text not null,
  due_at integer not null,
  attempts integer not null,
  done_at integer
) strict;

create index delivery_due on delivery (due_at) where done_at is null;
create index delivery_by_lead on delivery (lead_id);

create table probe (
  id integer primary key,
  at integer not null,
  room text not null default ''
) strict;
