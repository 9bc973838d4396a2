create table picture (
  hash text collate "C" primary key,
  at bigint not null,
  bytes bytea not null
);
-- A JPEG cannot be compressed further.
alter table picture alter column bytes set storage external;
