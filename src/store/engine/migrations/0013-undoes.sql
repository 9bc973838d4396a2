-- The number of the event that this one takes back, as its data say, for questions to the database.
alter table event add column undoes integer;
update event set undoes = cast(json(data) ->> 'undoes' as integer) where data like '%"undoes":%';
