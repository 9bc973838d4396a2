-- The request that this one is joined with, as the owner said: '' if it stands for itself.
alter table lead add column joined_to text not null default '';
create index lead_by_first on lead (joined_to) where joined_to <> '';

-- Earlier versions moved a visit to another request of the person. Where no email has said so yet, what
-- the customer knows goes along: the next email names that visit, and none calls it off.
with given as materialized (
  select visit_email.lead_id, visit_email.email_key, json(event.data) ->> 'otherId' as taker_id
  from visit_email join event on event.lead_id = visit_email.lead_id
  where is_off = 0 and event.data like '%"otherId":%' and event.data not like '%"next":%'
    and not exists (select 1 from event as later where later.lead_id = event.lead_id
      and later.number > event.number and later.data like '%"from":%')
)
update visit_email set lead_id = given.taker_id from given
where visit_email.lead_id = given.lead_id and visit_email.email_key = given.email_key
  and exists (select 1 from lead where lead.id = given.taker_id
    and lead.email_key = given.email_key)
  and not exists (select 1 from visit_email as own where own.lead_id = given.taker_id
    and own.email_key = given.email_key);
