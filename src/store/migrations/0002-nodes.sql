-- The id that a node told for a lead which, as it turned out, another node had kept already.
create table alias (
  id text primary key not null,
  lead_id text not null
) strict;

-- What all nodes of an installation share.
create table installation (
  name text primary key not null,
  value text not null
) strict;

-- How much one network has sent to one node within a window that is still open.
create table network_usage (
  limit_name text not null,
  network text not null,
  node text not null,
  amount integer not null,
  ends_at integer not null,
  primary key (limit_name, network, node)
) strict, without rowid;

create index network_usage_by_end on network_usage (ends_at);

-- In the spool of a node: leads that the database refuses.
create table set_aside (
  lead_id text primary key not null,
  at integer not null,
  reason text not null
) strict;

-- '' while it is on its way; then 'delivered' or 'dead'.
alter table delivery add column outcome text not null default '';
alter table delivery add column problem text not null default '';
