-- Requests after the first call that wait without a date get one, spread over two weeks, the longest
-- wait first, because all of them in one morning would be too many. Each comes at the hour at which
-- it was last moved. The time of this migration is noted before it runs.
with waiting as (
  select id,
    row_number() over (order by state_changed_at, id) - 1 as place,
    count(*) over () as total
  from lead
  where state in ('contacted', 'consultation_booked') and next_at is null
)
update lead set
  next_for = 'ring',
  next_at = ((select max(at) from migration) / 86400000 + 1 + waiting.place * 14 / waiting.total) * 86400000
    + lead.state_changed_at % 86400000
from waiting
where waiting.id = lead.id;
