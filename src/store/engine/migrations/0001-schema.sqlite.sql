-- The words of each lead. `doc` joins the two tables: a rowid without a name may change with VACUUM.
create table search_doc (
  doc integer primary key not null,
  lead_id text not null unique,
  words text not null
) strict;

-- With `content=''` and `secure-delete` the words of a deleted document are overwritten; what is left
-- is merged away at night.
create virtual table search_words using fts5 (
  words, content = '', detail = none, columnsize = 0, prefix = '2 3', tokenize = 'ascii'
);
insert into search_words (search_words, rank) values ('secure-delete', 1);

create trigger search_doc_added after insert on search_doc begin
  insert into search_words (rowid, words) values (new.doc, new.words);
end;

create trigger search_doc_changed after update on search_doc begin
  insert into search_words (search_words, rowid, words) values ('delete', old.doc, old.words);
  insert into search_words (rowid, words) values (new.doc, new.words);
end;

create trigger search_doc_removed after delete on search_doc begin
  insert into search_words (search_words, rowid, words) values ('delete', old.doc, old.words);
end;
