alter table delivery add column about text not null default '';
alter table delivery add column stuck integer not null default 0;
alter table delivery add column claimed integer not null default 0;

drop index delivery_due;
create index delivery_waiting on delivery (channel, due_at, id) where done_at is null;
create index delivery_dead on delivery (channel, done_at) where outcome = 'dead';

create table delivery_try (
  delivery_id text not null,
  at integer not null,
  number integer not null,
  outcome text not null,
  said text not null,
  ms integer not null,
  primary key (delivery_id, at, number)
) strict, without rowid;

create table duty (
  id text primary key not null,
  at integer not null,
  about text not null
) strict, without rowid;
