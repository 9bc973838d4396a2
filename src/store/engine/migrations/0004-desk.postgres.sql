-- The words of each lead. `doc` grows with the time the lead came in.
create table search_doc (
  doc bigint primary key,
  lead_id text collate "C" not null unique,
  words tsvector not null
);

-- The list of pending entries that `fastupdate` keeps would be one more place for erased words.
create index search_words on search_doc using gin (words) with (fastupdate = off);
