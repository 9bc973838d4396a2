-- A lead writes fewer pages: each tree below that is gone cost every lead a page or more.

-- The text that the search looks through, in the order of the ids. The service fills it after its
-- start, newest leads first; `about` is the id below which leads still wait for their text.
drop table search_doc;
create table search_doc (
  lead_id text primary key not null,
  words text not null
) strict, without rowid;

insert into once (id, at, about)
  select 'search.fill', 0, '~' where exists (select 1 from lead);

-- Keyed hashes of the email and the phone number, which tell whose leads belong together; '' without one.
alter table lead add column email_key text not null default '';
alter table lead add column phone_key text not null default '';
update lead set
  email_key = coalesce((select min(key) from person_key where lead_id = lead.id and key like 'e%'), ''),
  phone_key = coalesce((select min(key) from person_key where lead_id = lead.id and key like 'p%'), '');
drop table person_key;
create index lead_by_email on lead (email_key, id);
create index lead_by_phone on lead (phone_key, id);

-- Expired keys are deleted each night, so the table is small enough to be read whole for the few
-- leads that are withdrawn or erased.
drop index dedup_by_lead;
