-- The request that this one is joined with, as the owner said: '' if it stands for itself.
alter table lead add column joined_to text not null default '';
create index lead_by_first on lead (joined_to) where joined_to <> '';
