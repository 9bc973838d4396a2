-- The words of each lead. `doc` grows with the time the lead came in. GIN has no order, so documents in
-- a row make a block, and each word begins with the number of the block: `12/deck`.
create table search_doc (
  doc bigint primary key,
  lead_id text collate "C" not null unique,
  block integer not null,
  words tsvector not null
);

-- The list of pending entries that `fastupdate` keeps would be one more place for erased words.
create index search_words on search_doc using gin (words) with (fastupdate = off);
