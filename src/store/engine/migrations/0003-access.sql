-- Who may open the inbox. A member who has left keeps the row: events name its id.
create table member (
  id text primary key not null,
  name text not null,
  email text not null,
  made_at integer not null,
  ended_at integer
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
  fresh_until integer not null,
  device text not null
) strict;

create index session_by_member on session (member_id);

-- One-time addresses, codes and challenges, each for one use.
create table ticket (
  hash text primary key not null,
  purpose text not null,
  member_id text,
  bound_to text not null,
  tries integer not null,
  ends_at integer not null,
  data text not null
) strict;

create index ticket_by_end on ticket (ends_at);

-- How often somebody tried to get in, until when it counts.
create table attempt (
  id text primary key not null,
  count integer not null,
  ends_at integer not null
) strict;

create index attempt_by_end on attempt (ends_at);
