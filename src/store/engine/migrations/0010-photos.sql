-- Photos of a request: the sender's, and those that a member adds. A picture never changes, so its
-- bytes are kept apart and named by their SHA-256: as files beside SQLite, in a table on PostgreSQL.
-- `removed_at`: a member removed the photo, and may undo that.
create table photo (
  id text primary key not null,
  lead_id text not null,
  origin text not null,
  member_id text not null,
  at integer not null,
  hash text not null,
  small_hash text not null,
  bytes integer not null,
  width integer not null,
  height integer not null,
  removed_at integer,
  unique (lead_id, origin, hash)
) strict, without rowid;

-- How many photos a request has, so that lists need not count them.
alter table lead add column photos integer not null default 0;
