-- The owner can correct and complete what the customer sent, say why a request was lost, and block a
-- spammer; the customer can ask for another time.
-- The owner adds these two. Their names are unlike those of fields, because a clone may have a field `street`.
alter table lead add column added_phone text;
alter table lead add column added_street text;
alter table lead add column lost_why text;
-- When the customer asked for another time; null once the owner has answered.
alter table lead add column asked_at integer;
create index lead_by_asked on lead (asked_at, id) where asked_at is not null;

-- The details of a lead before the event of this number changed them, as JSON. The lowest number of a
-- lead has what the customer sent; an undo restores the highest. Not part of the event, because
-- details are personal.
create table detail_before (
  lead_id text not null,
  number integer not null,
  details text not null,
  primary key (lead_id, number)
) strict, without rowid;

-- Keyed hashes of the emails and phone numbers that the owner marked as spam. Several leads may have
-- the same one, and taking one mark back leaves those of the others.
create table blocked (
  key text not null,
  lead_id text not null,
  at integer not null,
  primary key (key, lead_id)
) strict, without rowid;

-- One more state waits for its date.
drop index lead_by_due;
create index lead_by_due on lead (state, (coalesce(next_at, state_changed_at)), id)
  where state in ('contacted', 'consultation_booked', 'proposal_sent');
