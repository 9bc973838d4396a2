-- 1: the key stays when its lead is erased, so that a client that sends the lead again from its queue
-- does not bring back the person. Only a random key has a 1: its hash tells nothing of anybody.
alter table dedup add column outlasts integer not null default 0;
