-- 1: the calendar of this member shows names and numbers.
alter table member add column feed_names integer not null default 0;
