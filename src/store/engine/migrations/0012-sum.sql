-- What the proposal comes to: a whole number without a currency, for members only.
alter table lead add column proposal_sum integer;
