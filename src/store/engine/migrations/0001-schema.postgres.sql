-- The words of each lead.
create table search_doc (
  lead_id text collate "C" primary key,
  words text not null,
  vector tsvector not null generated always as (cast(words as tsvector)) stored
);

-- The list of pending entries that `fastupdate` keeps would be one more place for erased words.
create index search_words on search_doc using gin (vector) with (fastupdate = off);
