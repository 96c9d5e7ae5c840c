CREATE TABLE `data_sinks` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`sink_type` text NOT NULL,
	`component` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_sinks_by_project` ON `data_sinks` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `data_sources` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`source_type` text NOT NULL,
	`component` text NOT NULL,
	`custom_metadata` text,
	`version_metadata` text,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `data_sources_by_project` ON `data_sources` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `embedding_model_configs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`embedding_config` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `embedding_model_configs_by_project` ON `embedding_model_configs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `chat_messages` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`position` integer NOT NULL,
	`client_id` text,
	`answers` text,
	`role` text NOT NULL,
	`content` text,
	`annotations` text,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `chat_sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `chat_messages_in_order` ON `chat_messages` (`session_id`,`position`);--> statement-breakpoint
CREATE UNIQUE INDEX `chat_messages_by_client_id` ON `chat_messages` (`session_id`,`client_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `chat_messages_by_question` ON `chat_messages` (`answers`);--> statement-breakpoint
CREATE TABLE `chat_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`pipeline_id` text,
	`retriever_id` text,
	`user_id` text NOT NULL,
	`is_playground` integer DEFAULT false NOT NULL,
	`name` text,
	`llm_params_id` text NOT NULL,
	`llm_params` text,
	`retrieval_params_id` text NOT NULL,
	`retrieval_params` text,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`retriever_id`) REFERENCES `retrievers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "chat_sessions_ask_one" CHECK((pipeline_id is null) <> (retriever_id is null))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `playground_sessions_once` ON `chat_sessions` (`pipeline_id`,`user_id`) WHERE is_playground;--> statement-breakpoint
CREATE UNIQUE INDEX `retriever_playgrounds_once` ON `chat_sessions` (`retriever_id`,`user_id`) WHERE is_playground;--> statement-breakpoint
CREATE INDEX `chat_sessions_by_user` ON `chat_sessions` (`pipeline_id`,`user_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `retriever_chats_by_user` ON `chat_sessions` (`retriever_id`,`user_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE TABLE `chat_streams` (
	`id` text PRIMARY KEY NOT NULL,
	`pipeline_id` text,
	`retriever_id` text,
	`user_id` text NOT NULL,
	`session_id` text NOT NULL,
	`chat_id` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`retriever_id`) REFERENCES `retrievers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`session_id`) REFERENCES `chat_sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `chat_streams_by_chat` ON `chat_streams` (`pipeline_id`,`user_id`,`chat_id`,`id`);--> statement-breakpoint
CREATE INDEX `retriever_streams_by_chat` ON `chat_streams` (`retriever_id`,`user_id`,`chat_id`,`id`);--> statement-breakpoint
CREATE INDEX `chat_streams_by_session` ON `chat_streams` (`session_id`);--> statement-breakpoint
CREATE TABLE `files` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`external_file_id` text,
	`file_size` integer,
	`file_type` text,
	`content_hash` text,
	`content_type` text,
	`storage_key` text,
	`pending_key` text,
	`pending_until` integer,
	`pending_name` text,
	`last_modified_at` integer,
	`resource_info` text,
	`permission_info` text,
	`data_source_id` text,
	`origin` text DEFAULT '' NOT NULL,
	`source_version` text,
	`fetched_version` text,
	`purpose` text,
	`expires_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `files_by_project` ON `files` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `files_by_name` ON `files` (`project_id`,`name`,`id`);--> statement-breakpoint
CREATE INDEX `files_by_size` ON `files` (`project_id`,case when file_size is null then -1 else file_size end,`id`);--> statement-breakpoint
CREATE INDEX `files_by_source` ON `files` (`project_id`,`data_source_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `files_by_id` ON `files` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `files_by_content` ON `files` (`project_id`,`content_hash`);--> statement-breakpoint
CREATE INDEX `files_by_pending_upload` ON `files` (`project_id`) WHERE pending_key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `files_by_external_id` ON `files` (`project_id`,`external_file_id`,`origin`) WHERE external_file_id is not null;--> statement-breakpoint
CREATE TABLE `parses` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`content_hash` text NOT NULL,
	`config_hash` text NOT NULL,
	`kind` text NOT NULL,
	`page_count` integer NOT NULL,
	`metadata` text NOT NULL,
	`completed_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `parses_by_content` ON `parses` (`project_id`,`content_hash`,`config_hash`);--> statement-breakpoint
CREATE TABLE `indexed_documents` (
	`index_id` text NOT NULL,
	`document_id` text NOT NULL,
	`shard` integer NOT NULL,
	`last_shard` integer NOT NULL,
	`version` integer NOT NULL,
	`chunk_count` integer NOT NULL,
	`page_count` integer,
	`content_fingerprint` text NOT NULL,
	`metadata_fingerprint` text NOT NULL,
	`context_hash` text DEFAULT '' NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	PRIMARY KEY(`index_id`, `document_id`),
	FOREIGN KEY (`index_id`) REFERENCES `pipeline_indexes`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `pipeline_indexes` (
	`id` text PRIMARY KEY NOT NULL,
	`pipeline_id` text NOT NULL,
	`config_hash` text NOT NULL,
	`state` text NOT NULL,
	`embedding_config` text,
	`dimension` integer,
	`sink` text,
	`shards` integer DEFAULT 1 NOT NULL,
	`open_shard` integer DEFAULT 0 NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `pipeline_indexes_by_state` ON `pipeline_indexes` (`pipeline_id`,`state`);--> statement-breakpoint
CREATE TABLE `sync_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`pipeline_id` text NOT NULL,
	`generation` integer NOT NULL,
	`status` text NOT NULL,
	`reason` text NOT NULL,
	`counters` text NOT NULL,
	`error` text,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sync_runs_by_pipeline` ON `sync_runs` (`pipeline_id`,`generation`);--> statement-breakpoint
CREATE INDEX `sync_runs_by_start` ON `sync_runs` (`pipeline_id`,`started_at`,`id`);--> statement-breakpoint
CREATE TABLE `classify_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`user_id` text NOT NULL,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`file_input` text NOT NULL,
	`sealed_input` text,
	`document_input_type` text NOT NULL,
	`file_id` text,
	`configuration` text NOT NULL,
	`configuration_id` text,
	`webhook_configurations` text,
	`error_message` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`parse_job_id` text,
	`transaction_id` text,
	`group_id` text,
	`result` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `classify_jobs_by_project` ON `classify_jobs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `classify_jobs_by_status` ON `classify_jobs` (`project_id`,`status`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `classify_jobs_by_transaction` ON `classify_jobs` (`project_id`,`transaction_id`);--> statement-breakpoint
CREATE INDEX `classify_jobs_by_group` ON `classify_jobs` (`group_id`);--> statement-breakpoint
CREATE TABLE `configurations` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`product_type` text NOT NULL,
	`name` text NOT NULL,
	`version` text NOT NULL,
	`parameters` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `configurations_by_name` ON `configurations` (`project_id`,`product_type`,`name`,`version`);--> statement-breakpoint
CREATE INDEX `configurations_by_project` ON `configurations` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `extract_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`user_id` text NOT NULL,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`file_input` text NOT NULL,
	`sealed_input` text,
	`document_input_type` text NOT NULL,
	`file_id` text,
	`configuration` text NOT NULL,
	`configuration_id` text,
	`webhook_configurations` text,
	`error_message` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`parse_job_id` text,
	`result` text,
	`result_metadata` text,
	`pages_extracted` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `extract_jobs_by_project` ON `extract_jobs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `extract_jobs_by_status` ON `extract_jobs` (`project_id`,`status`,`created_at`);--> statement-breakpoint
CREATE TABLE `parse_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`user_id` text NOT NULL,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`file_input` text NOT NULL,
	`sealed_input` text,
	`document_input_type` text NOT NULL,
	`file_id` text,
	`configuration` text NOT NULL,
	`configuration_id` text,
	`webhook_configurations` text,
	`error_message` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`content_hash` text,
	`config_hash` text,
	`page_count` integer,
	`user_metadata` text,
	`delivery` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `parse_jobs_by_project` ON `parse_jobs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `parse_jobs_by_status` ON `parse_jobs` (`project_id`,`status`,`created_at`);--> statement-breakpoint
CREATE TABLE `usage_records` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`product` text NOT NULL,
	`job_id` text NOT NULL,
	`pages` integer NOT NULL,
	`credits` integer NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `usage_records_by_project` ON `usage_records` (`project_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `usage_records_once` ON `usage_records` (`product`,`job_id`);--> statement-breakpoint
CREATE TABLE `model_settings` (
	`project_id` text PRIMARY KEY NOT NULL,
	`models` text NOT NULL,
	`daily_tokens` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `model_usage` (
	`project_id` text NOT NULL,
	`day` text NOT NULL,
	`use` text NOT NULL,
	`model` text NOT NULL,
	`calls` integer NOT NULL,
	`failures` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`estimated` integer NOT NULL,
	`milliseconds` integer NOT NULL,
	PRIMARY KEY(`project_id`, `day`, `use`, `model`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `pipeline_members` (
	`id` text PRIMARY KEY NOT NULL,
	`pipeline_id` text NOT NULL,
	`kind` text NOT NULL,
	`document_id` text NOT NULL,
	`status` text DEFAULT 'NOT_STARTED' NOT NULL,
	`job_id` text,
	`status_updated_at` integer,
	`error` text,
	`chunk_count` integer,
	`failed_fingerprint` text,
	`described_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`file_id` text,
	`data_source_id` text,
	`custom_metadata` text,
	`table_metadata` text,
	`status_details` text,
	`indexed_page_count` integer,
	`source_generation` integer,
	`content_hash` text,
	`text_id` text,
	`text` text,
	`metadata` text,
	`excluded_embed_metadata_keys` text,
	`excluded_llm_metadata_keys` text,
	`page_positions` text,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "pipeline_members_of_kind" CHECK(case kind
        when 'file' then file_id is document_id and text_id is null and text is null
        when 'text' then file_id is null and text_id is not null and content_hash is not null
          and metadata is not null and excluded_embed_metadata_keys is not null
          and excluded_llm_metadata_keys is not null
        else false end)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pipeline_members_once` ON `pipeline_members` (`pipeline_id`,`document_id`,`kind`);--> statement-breakpoint
CREATE INDEX `pipeline_members_by_status` ON `pipeline_members` (`pipeline_id`,`kind`,`status`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `pipeline_members_by_creation` ON `pipeline_members` (`pipeline_id`,`kind`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `pipeline_members_by_arrival` ON `pipeline_members` (`pipeline_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `pipeline_members_by_source` ON `pipeline_members` (`pipeline_id`,`kind`,`data_source_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `pipeline_members_by_file` ON `pipeline_members` (`file_id`);--> statement-breakpoint
CREATE INDEX `pipeline_members_with_excluded_keys` ON `pipeline_members` (`pipeline_id`) WHERE excluded_embed_metadata_keys <> '[]' or excluded_llm_metadata_keys <> '[]';--> statement-breakpoint
CREATE TABLE `pipeline_data_sources` (
	`id` text PRIMARY KEY NOT NULL,
	`pipeline_id` text NOT NULL,
	`data_source_id` text NOT NULL,
	`sync_interval` integer,
	`sync_schedule_set_by` text,
	`status` text DEFAULT 'NOT_STARTED' NOT NULL,
	`job_id` text,
	`status_updated_at` integer,
	`error` text,
	`last_synced_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`data_source_id`) REFERENCES `data_sources`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pipeline_data_sources_once` ON `pipeline_data_sources` (`pipeline_id`,`data_source_id`);--> statement-breakpoint
CREATE INDEX `pipeline_data_sources_by_source` ON `pipeline_data_sources` (`data_source_id`);--> statement-breakpoint
CREATE TABLE `pipelines` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`pipeline_type` text DEFAULT 'MANAGED' NOT NULL,
	`status` text DEFAULT 'CREATED' NOT NULL,
	`embedding_config` text NOT NULL,
	`embedding_model_config_id` text,
	`data_sink_id` text,
	`transform_config` text NOT NULL,
	`parse_parameters` text NOT NULL,
	`as_original` integer DEFAULT false NOT NULL,
	`preset_retrieval_parameters` text NOT NULL,
	`sparse_model_config` text,
	`metadata_config` text,
	`managed_pipeline_id` text,
	`embedding_config_hash` text NOT NULL,
	`parsing_config_hash` text NOT NULL,
	`transform_config_hash` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`embedding_model_config_id`) REFERENCES `embedding_model_configs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`data_sink_id`) REFERENCES `data_sinks`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pipelines_by_name` ON `pipelines` (`project_id`,`name`) WHERE status <> 'DELETING';--> statement-breakpoint
CREATE INDEX `pipelines_by_project` ON `pipelines` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `pipelines_by_sink` ON `pipelines` (`data_sink_id`);--> statement-breakpoint
CREATE INDEX `pipelines_by_embedding_model_config` ON `pipelines` (`embedding_model_config_id`);--> statement-breakpoint
CREATE TABLE `retrievers` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`pipelines` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `retrievers_by_name` ON `retrievers` (`project_id`,`name`);--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`project_id` text,
	`parent_id` text,
	`name` text,
	`key_type` text NOT NULL,
	`organization_only` integer DEFAULT false NOT NULL,
	`hash` text NOT NULL,
	`redacted` text NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_by_organization` ON `api_keys` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `api_keys_by_parent` ON `api_keys` (`parent_id`);--> statement-breakpoint
CREATE TABLE `bootstraps` (
	`key_hash` text PRIMARY KEY NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `members` (
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`role` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	PRIMARY KEY(`organization_id`, `user_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `members_by_user` ON `members` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `members_by_email` ON `members` (`organization_id`,`email`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_by_name` ON `projects` (`organization_id`,`name`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`api_key_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_by_key` ON `sessions` (`api_key_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_expiry` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `daily_activity` (
	`project_id` text NOT NULL,
	`day` text NOT NULL,
	`retrievals` integer DEFAULT 0 NOT NULL,
	`chats` integer DEFAULT 0 NOT NULL,
	`syncs` integer DEFAULT 0 NOT NULL,
	`documents_indexed` integer DEFAULT 0 NOT NULL,
	`documents_failed` integer DEFAULT 0 NOT NULL,
	`pages_indexed` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`project_id`, `day`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `webhook_configs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`configuration` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_configs_by_project` ON `webhook_configs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`job_id` text NOT NULL,
	`event_id` text NOT NULL,
	`endpoint` text NOT NULL,
	`sequence` integer NOT NULL,
	`event_type` text NOT NULL,
	`configuration` text NOT NULL,
	`body` text NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_status_code` integer,
	`last_error` text,
	`next_attempt_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_project` ON `webhook_deliveries` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_status` ON `webhook_deliveries` (`project_id`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_job` ON `webhook_deliveries` (`job_id`,`sequence`);