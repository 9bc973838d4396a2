-- A lead is committed without what finds it: its search text and the keys of its person, which stand
-- all over their indexes. Both are filled soon afterwards, for many leads in one commit, and always
-- before they are read.
drop index lead_by_email;
drop index lead_by_phone;
alter table search_doc add column email_key text not null default '';
alter table search_doc add column phone_key text not null default '';

-- The version of the lead that `search_doc` has. -1: an older program kept the lead, and its words
-- are still to be made. A node of the version before leaves 0, or an older version.
alter table lead add column filled integer not null default 0;
update lead set filled = case
  when state = 'erased' or exists (select 1 from search_doc where lead_id = lead.id) then version
  else -1 end;
insert into search_doc (lead_id, words) select id, '' from lead where filled = -1;
update search_doc set email_key = lead.email_key, phone_key = lead.phone_key
  from lead where lead.id = lead_id;

create index lead_by_email on search_doc (email_key, lead_id);
create index lead_by_phone on search_doc (phone_key, lead_id);
create index lead_to_fill on lead (filled, id) where filled <> version;
delete from once where id = 'search.fill';
