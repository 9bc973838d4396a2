-- What the owner writes about a lead. It belongs to the event of the same number, which holds a hash
-- of the words and of the salt: without the salt the hash tells nothing of what was erased.
create table note (
  lead_id text not null,
  number integer not null,
  at integer not null,
  member_id text not null,
  salt text not null,
  words text not null,
  primary key (lead_id, number)
) strict, without rowid;

-- Who sent a lead: keyed hashes of the email and the phone number, added by the indexer.
create table person_key (
  key text not null,
  lead_id text not null,
  primary key (key, lead_id)
) strict, without rowid;

create index person_key_by_lead on person_key (lead_id);

-- Leads that the indexer has passed already, and has to look at again.
create table search_due (
  lead_id text primary key not null
) strict, without rowid;

-- Which member exported what. Each carries a hash over itself and the one before it.
create table exported (
  number integer primary key not null,
  at integer not null,
  member_id text not null,
  what text not null,
  hash text not null
) strict;
