-- What the last email about the visit of a request said to an address, known by its key: the visit
-- or, with `is_off` 1, that this visit is off. `answers`: when the customer had asked for another time,
-- if an email answered that. Erasing deletes it, because a place is personal.
create table visit_email (
  lead_id text not null,
  email_key text not null,
  at integer not null,
  place text not null,
  is_off integer not null,
  answers integer,
  primary key (lead_id, email_key)
) strict, without rowid;

-- The oldest emails hold the visit alone; all others hold it as `visit`.
update delivery set about = '{"visit":' || about || '}'
  where kind = 'lead.visit' and about not like '{"visit":%';

-- The emails that were sent say what their addresses know. Those of one request left in turn. An
-- address that was called off last knows of no visit, and neither do the earlier addresses of the
-- request. `before` is the visit that an email replaced, perhaps of another request.
with email as materialized (
  select lead_id, done_at, json(about) as said,
    row_number() over (partition by lead_id order by length(id), id) as turn
  from delivery
  where kind = 'lead.visit' and outcome = 'delivered'
),
heard as (
  select email.lead_id, done_at, turn,
    coalesce(said ->> 'to', lead.email_key) as email_key,
    cast(said -> 'visit' ->> 'at' as integer) as at,
    said -> 'visit' ->> 'place' as place,
    cast(said ->> 'answers' as integer) as answers,
    said -> 'before' ->> 'leadId' as before_id,
    cast(said -> 'before' ->> 'at' as integer) as before_at
  from email join lead on lead.id = email.lead_id
)
insert into visit_email (lead_id, email_key, at, place, is_off, answers)
select lead_id, email_key, at, place,
  case when exists (select 1 from heard as later where later.lead_id = heard.lead_id
    and later.turn > heard.turn and later.at is null) then 1 else 0 end,
  (select max(answers) from heard as own where own.lead_id = heard.lead_id
    and own.email_key = heard.email_key)
from heard
where at is not null and email_key <> ''
  and not exists (select 1 from heard as later where later.lead_id = heard.lead_id
    and later.turn > heard.turn
    and ((later.at is not null and later.email_key = heard.email_key)
      or (later.at is null and later.email_key <> heard.email_key)))
  and not exists (select 1 from heard as other where other.before_id = heard.lead_id
    and other.lead_id <> heard.lead_id and other.before_at = heard.at
    and other.email_key = heard.email_key and other.done_at >= heard.done_at);

-- The calendar feed keeps visits that took place for a month, also once their request is closed.
create index lead_by_visited on lead (state_changed_at, id) where visit_shown is not null;
