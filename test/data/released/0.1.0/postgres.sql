-- Version 0.1.0 on PostgreSQL: the statements it made its tables with, and the rows it wrote.

create table migration (number bigint primary key, name text not null, at bigint not null);

-- Each field of a request has a column too, which a start adds: see addFieldColumns.
create table lead (
  id text collate "C" primary key not null,
  received_at bigint not null,
  unlisted text collate "C" not null,
  botcheck text collate "C" not null,
  door text collate "C" not null,
  agent text collate "C" not null,
  client text collate "C" not null,
  user_agent text collate "C" not null,
  dedup_key text collate "C",
  dedup_until bigint not null,
  fingerprint text collate "C" not null,
  score bigint not null,
  reasons text collate "C" not null,
  state text collate "C" not null,
  state_changed_at bigint not null,
  event_count bigint not null,
  event_head text collate "C" not null,
  erased_at bigint
);

create index lead_by_state on lead (state, id);
create unique index lead_by_dedup_key on lead (dedup_key) where dedup_key is not null;

-- The events after a lead's first one, which is the lead's own row.
create table event (
  lead_id text collate "C" not null,
  number bigint not null,
  at bigint not null,
  kind text collate "C" not null,
  data text collate "C" not null,
  hash text collate "C" not null,
  primary key (lead_id, number)
);

create table delivery (
  id text collate "C" primary key not null,
  lead_id text collate "C" not null,
  channel text collate "C" not null,
  kind text collate "C" not null,
  about text collate "C" not null default '',
  due_at bigint not null,
  attempts bigint not null,
  leased bigint not null default 0,
  channel_fault bigint not null default 0,
  -- '' while it is on its way; then 'delivered', 'dead' or 'dropped'.
  outcome text collate "C" not null default '',
  problem text collate "C" not null default '',
  done_at bigint
);

create index delivery_by_lead on delivery (lead_id);
create index delivery_waiting on delivery (channel, due_at, id) where done_at is null;
create index delivery_dead on delivery (channel, done_at) where outcome = 'dead';

create table delivery_try (
  delivery_id text collate "C" not null,
  at bigint not null,
  number bigint not null,
  outcome text collate "C" not null,
  answer text collate "C" not null,
  ms bigint not null,
  primary key (delivery_id, at, number)
);

-- When a thing that happens at most once in a while last happened.
create table once (
  id text collate "C" primary key not null,
  at bigint not null,
  about text collate "C" not null
);

-- The id that one node gave to a lead that another node had kept already.
create table alias (
  id text collate "C" primary key not null,
  lead_id text collate "C" not null
);

-- What all nodes of an installation share.
create table installation (
  name text collate "C" primary key not null,
  value text collate "C" not null
);

-- In the spool of a node: leads that the database refuses.
create table rejected (
  lead_id text collate "C" primary key not null,
  at bigint not null,
  reason text collate "C" not null
);

create table probe (
  id bigint primary key,
  at bigint not null,
  room text collate "C" not null default ''
);

alter table lead add column name text collate "C" not null default '';
alter table lead add column email text collate "C" not null default '';
alter table lead add column phone text collate "C" not null default '';
alter table lead add column postcode text collate "C" not null default '';
alter table lead add column message text collate "C" not null default '';

insert into delivery (id, lead_id, channel, kind, about, due_at, attempts, leased, channel_fault, outcome, problem, done_at) values
  ('01a1e28c-0c5f-7000-a393-d5d4e3723ad1/mail', '01a1e28c-0c5f-7000-a393-d5d4e3723ad1', 'mail', 'lead.received', '', '1794802197937', '1', '0', '1', '', 'connection-refused CONN', null),
  ('01a1e28c-0c5f-7000-a393-d5d4e3723ad1/webhook', '01a1e28c-0c5f-7000-a393-d5d4e3723ad1', 'webhook', 'lead.received', '', '1794802236495', '1', '0', '0', 'delivered', '', '1794802191825'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee/1/webhook', '01a1e28c-0db9-7000-a3f8-3db386a66eee', 'webhook', 'lead.state_changed', '1', '1794802241005', '1', '0', '0', 'delivered', '', '1794802196469'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee/2/webhook', '01a1e28c-0db9-7000-a3f8-3db386a66eee', 'webhook', 'lead.state_changed', '2', '1794802241005', '1', '0', '0', 'delivered', '', '1794802196538'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee/mail', '01a1e28c-0db9-7000-a3f8-3db386a66eee', 'mail', 'lead.received', '', '1794802196747', '1', '0', '1', '', 'connection-refused CONN', null),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee/webhook', '01a1e28c-0db9-7000-a3f8-3db386a66eee', 'webhook', 'lead.received', '', '1794802236856', '1', '0', '0', 'delivered', '', '1794802191968'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/1/mail', '01a1e28c-0df8-7000-9404-7fc42e65e089', 'mail', 'lead.withdrawn', '1', '1794802200633', '1', '0', '1', '', 'connection-refused CONN', null),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/1/webhook', '01a1e28c-0df8-7000-9404-7fc42e65e089', 'webhook', 'lead.withdrawn', '1', '1794802241005', '1', '0', '0', 'delivered', '', '1794802196537'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/mail', '01a1e28c-0df8-7000-9404-7fc42e65e089', 'mail', 'lead.received', '', '1794802548556', '2', '0', '1', '', 'connection-refused CONN', null),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/webhook', '01a1e28c-0df8-7000-9404-7fc42e65e089', 'webhook', 'lead.received', '', '1794802236934', '1', '0', '0', 'delivered', '', '1794802192046'),
  ('01a1e28c-0ec9-7000-932c-db0f430015aa/mail', '01a1e28c-0ec9-7000-932c-db0f430015aa', 'mail', 'lead.received', '', '1794802197100', '1', '0', '1', '', 'connection-refused CONN', null),
  ('01a1e28c-0ec9-7000-932c-db0f430015aa/webhook', '01a1e28c-0ec9-7000-932c-db0f430015aa', 'webhook', 'lead.received', '', '1794802237081', '1', '0', '0', 'delivered', '', '1794802192098');

insert into delivery_try (delivery_id, at, number, outcome, answer, ms) values
  ('01a1e28c-0c5f-7000-a393-d5d4e3723ad1/mail', '1794802191515', '1', 'connection-refused', 'CONN', '513'),
  ('01a1e28c-0c5f-7000-a393-d5d4e3723ad1/webhook', '1794802191497', '1', 'delivered', '200', '327'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee/1/webhook', '1794802196016', '1', 'delivered', '200', '452'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee/2/webhook', '1794802196017', '1', 'delivered', '200', '521'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee/mail', '1794802191871', '1', 'connection-refused', 'CONN', '182'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee/webhook', '1794802191874', '1', 'delivered', '200', '95'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/1/mail', '1794802196004', '1', 'connection-refused', 'CONN', '26'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/1/webhook', '1794802196017', '1', 'delivered', '200', '520'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/mail', '1794802198033', '2', 'connection-refused', 'CONN', '8'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/mail', '1794802191984', '1', 'connection-refused', 'CONN', '79'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089/webhook', '1794802191985', '1', 'delivered', '200', '61'),
  ('01a1e28c-0ec9-7000-932c-db0f430015aa/mail', '1794802192083', '1', 'connection-refused', 'CONN', '66'),
  ('01a1e28c-0ec9-7000-932c-db0f430015aa/webhook', '1794802192082', '1', 'delivered', '200', '16');

insert into event (lead_id, number, at, kind, data, hash) values
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee', '1', '1794802195052', 'lead.state_changed', '{"from":"new","to":"contacted","by":"owner"}', 'LBLsYxkPghx7QaPTxXiohwbLYt_gAUKyTt80a5AP4N4'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee', '2', '1794802195907', 'lead.state_changed', '{"from":"contacted","to":"consultation_booked","by":"owner"}', 'G4dn-sH5fwX_weNnvUNrC-38lFom5bh0Aq33x3cPW4s'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089', '1', '1794802195972', 'lead.withdrawn', '{"from":"new","to":"withdrawn","by":"sender"}', 'zxAPflPdqiwXIGb8WEnA66g9kz48CiBLspihocARJRY'),
  ('01a1e28c-0e3c-7000-aad4-622e589ab624', '1', '1794802196374', 'lead.erased', '{"from":"new","to":"erased","by":"owner"}', 'J9QReGRIwH4yudQGMOWq4rRA7gkSKYzxEbimK2I5Xpg');

insert into installation (name, value) values
  ('secret', '5RvYCj_bqMB2IVG2ed9uxRPYMs2DITZPUMHh_8YuO9I');

insert into lead (id, received_at, unlisted, botcheck, door, agent, client, user_agent, dedup_key, dedup_until, fingerprint, score, reasons, state, state_changed_at, event_count, event_head, erased_at, name, email, phone, postcode, message) values
  ('01a1e28c-0c5f-7000-a393-d5d4e3723ad1', '1794802191455', '{"postcode_1":"2000"}', '', 'json', '', 'PBiUUYcxSuH8rvgPhNOuFR', 'node', 'V7M44DCu8dYS7XfQOx50r9k2Cfc45gzHcqd9C54xJu4', '1795406991455', '_sZfHvfrYBjaF_WO-Y1EIFq-9rV8wjeeoKAL6SXeMAc', '0', '', 'new', '1794802191455', '1', '-S6F798_boSfIF2OIqKS-9ySYI9hjoDXPywADb06Yyg', null, 'Robin Example', 'robin@example.com', '0491 570 006', '', 'A deck with stairs, please.'),
  ('01a1e28c-0db9-7000-a3f8-3db386a66eee', '1794802191801', '', '', 'json', '', 'PBiUUYcxSuH8rvgPhNOuFR', 'node', 'content VQcsku-rZb6iPFI0v-I7cr0BRbZrrjMyvGMSmDrha_w PBiUUYcxSuH8rvgPhNOuFR', '1794802791801', 'VQcsku-rZb6iPFI0v-I7cr0BRbZrrjMyvGMSmDrha_w', '0', '', 'consultation_booked', '1794802195907', '3', 'G4dn-sH5fwX_weNnvUNrC-38lFom5bh0Aq33x3cPW4s', null, 'Sam Example', 'sam@example.com', '', '', 'A pergola.'),
  ('01a1e28c-0df8-7000-9404-7fc42e65e089', '1794802191864', '', '', 'json', '', 'PBiUUYcxSuH8rvgPhNOuFR', 'node', 'content pHma1GK6LxOSJAQw0SXxXOWaMASAsmP3XFIKUvgI6WA PBiUUYcxSuH8rvgPhNOuFR', '1794802791864', 'pHma1GK6LxOSJAQw0SXxXOWaMASAsmP3XFIKUvgI6WA', '0', '', 'withdrawn', '1794802195972', '2', 'zxAPflPdqiwXIGb8WEnA66g9kz48CiBLspihocARJRY', null, 'Kim Example', 'kim@example.com', '', '', 'Never mind.'),
  ('01a1e28c-0e3c-7000-aad4-622e589ab624', '1794802191932', '', '', 'json', '', '', '', null, '0', 'iJ0wwtaHUDwOVjtFo7u2KQX8_NgVMM4Dj_Aj7j0TVFo', '0', '', 'erased', '1794802196374', '2', 'J9QReGRIwH4yudQGMOWq4rRA7gkSKYzxEbimK2I5Xpg', '1794802196374', '', '', '', '', ''),
  ('01a1e28c-0e75-7000-aa9e-9129c9fb9732', '1794802191989', '', 'yes', 'json', '', 'PBiUUYcxSuH8rvgPhNOuFR', 'node', 'content XdpqeF4NsqNSecOIGJjVOvVAiztVSkNKNHUs6v1QcYs PBiUUYcxSuH8rvgPhNOuFR', '1794802791989', 'XdpqeF4NsqNSecOIGJjVOvVAiztVSkNKNHUs6v1QcYs', '100', 'trap', 'held', '1794802191989', '1', 'IOF9AojrEnQEKNZOriSuB57IjsUThC2S8NJyZ3WjZ8E', null, 'Bot', 'bot@example.com', '', '', 'http://a.example http://b.example http://c.example http://d.example buy now'),
  ('01a1e28c-0ec9-7000-932c-db0f430015aa', '1794802192073', '', '', 'form', '', 'PBiUUYcxSuH8rvgPhNOuFR', 'node', 'content x6nLBzCXGfENuTegGrd8jH48PN3HTa6oM6FgniTnaao PBiUUYcxSuH8rvgPhNOuFR', '1794802792073', 'x6nLBzCXGfENuTegGrd8jH48PN3HTa6oM6FgniTnaao', '0', '', 'new', '1794802192073', '1', 'IHZptENwXx8WyzqgZ5V89Sq8w7jiso9AZ8pUz1nWwMc', null, 'Alex Example', 'alex@example.com', '(02) 5550 0100', '', 'By the form.
Two lines.');

insert into migration (number, name, at) values
  ('1', '0001-schema.sql', '1794802190107');
