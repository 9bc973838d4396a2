-- Each field of a request has a column too, which a start adds: see addFieldColumns.
create table lead (
  id text primary key not null,
  received_at integer not null,
  unlisted text not null,
  botcheck text not null,
  door text not null,
  agent text not null,
  client text not null,
  user_agent text not null,
  dedup_key text,
  dedup_until integer not null,
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
create unique index lead_by_dedup_key on lead (dedup_key) where dedup_key is not null;

-- The events after a lead's first one, which is the lead's own row.
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
  about text not null default '',
  due_at integer not null,
  attempts integer not null,
  leased integer not null default 0,
  channel_fault integer not null default 0,
  -- '' while it is on its way; then 'delivered', 'dead' or 'dropped'.
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

-- The id that one node gave to a lead that another node had kept already.
create table alias (
  id text primary key not null,
  lead_id text not null
) strict;

-- What all nodes of an installation share.
create table installation (
  name text primary key not null,
  value text not null
) strict;

-- In the spool of a node: leads that the database refuses.
create table rejected (
  lead_id text primary key not null,
  at integer not null,
  reason text not null
) strict;

create table probe (
  id integer primary key,
  at integer not null,
  room text not null default ''
) strict;
