-- The words of each lead. `doc` grows with the time the lead came in.
create table search_doc (
  doc bigint primary key,
  lead_id text collate "C" not null unique,
  words tsvector not null
);

-- The list of pending entries that `fastupdate` keeps would be one more place for erased words.
create index search_words on search_doc using gin (words) with (fastupdate = off);

-- For the newest of the documents that GIN lists. The primary key would be walked instead.
create index search_doc_newest on search_doc using brin ((doc + 0)) with (pages_per_range = 32);
