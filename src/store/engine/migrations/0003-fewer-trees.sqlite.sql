-- Its triggers went with the table that fed it.
drop table search_words;
