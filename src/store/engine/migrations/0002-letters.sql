-- For the number of letters in the last hour.
create index delivery_done on delivery (channel, done_at) where done_at is not null;

-- A digest that waits, and the deliveries it tells of in their place.
create index delivery_digest on delivery (channel) where kind = 'leads.gathered' and done_at is null;
create index delivery_gathered on delivery (about) where outcome = 'gathered';
