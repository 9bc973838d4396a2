-- The place of the visit, and whether the sender may see it, before the event of this number changed
-- them: an undo of that event restores both. Not part of the event, because a place is personal.
create table visit_before (
  lead_id text primary key not null,
  number integer not null,
  place text,
  shown integer
) strict, without rowid;
