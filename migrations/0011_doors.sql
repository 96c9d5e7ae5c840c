CREATE TABLE `agent_collections` (
	`project_id` text NOT NULL,
	`deployment_name` text NOT NULL,
	`collection` text NOT NULL,
	`item_count` integer NOT NULL,
	`character_count` integer NOT NULL,
	PRIMARY KEY(`project_id`, `deployment_name`, `collection`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `agent_data` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`deployment_name` text NOT NULL,
	`collection` text NOT NULL,
	`data` text NOT NULL,
	`character_count` integer NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_data_by_collection` ON `agent_data` (`project_id`,`deployment_name`,`collection`,`created_at`,`id`,`character_count`);--> statement-breakpoint
CREATE TABLE `stored_responses` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`pipeline_id` text,
	`retriever_id` text,
	`user_id` text NOT NULL,
	`previous_id` text,
	`input` text NOT NULL,
	`response` text NOT NULL,
	`passages` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`retriever_id`) REFERENCES `retrievers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `stored_responses_by_project` ON `stored_responses` (`project_id`);--> statement-breakpoint
CREATE INDEX `stored_responses_by_pipeline` ON `stored_responses` (`pipeline_id`);--> statement-breakpoint
CREATE INDEX `stored_responses_by_retriever` ON `stored_responses` (`retriever_id`);--> statement-breakpoint
CREATE INDEX `stored_responses_by_user` ON `stored_responses` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `stored_responses_by_age` ON `stored_responses` (`created_at`);--> statement-breakpoint
CREATE TABLE `evaluation_sweeps` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`question_set_id` text NOT NULL,
	`question_set_version` integer NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`pipeline_id` text NOT NULL,
	`target_name` text NOT NULL,
	`metric` text NOT NULL,
	`budget` integer NOT NULL,
	`variants` text NOT NULL,
	`candidates` text NOT NULL,
	`shares` text NOT NULL,
	`caller` text NOT NULL,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`error_message` text,
	`consumer` text,
	`lease_until` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`phase` text NOT NULL,
	`rounds` text NOT NULL,
	`remaining` text NOT NULL,
	`result` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`question_set_id`) REFERENCES `question_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `evaluation_sweeps_by_project` ON `evaluation_sweeps` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `evaluation_sweeps_by_set` ON `evaluation_sweeps` (`question_set_id`);--> statement-breakpoint
CREATE TABLE `sweep_results` (
	`run_id` text NOT NULL,
	`project_id` text NOT NULL,
	`item_id` text NOT NULL,
	`candidate` integer NOT NULL,
	`question_id` text NOT NULL,
	`is_held_out` integer NOT NULL,
	`position` integer NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error_message` text,
	`metrics` text,
	PRIMARY KEY(`run_id`, `item_id`),
	FOREIGN KEY (`run_id`) REFERENCES `evaluation_sweeps`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sweep_results_by_project` ON `sweep_results` (`project_id`,`run_id`,`position`);--> statement-breakpoint
CREATE INDEX `sweep_results_by_status` ON `sweep_results` (`run_id`,`status`,`position`);--> statement-breakpoint
CREATE TABLE `sheets_jobs` (
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
	`batch_id` text,
	`webhook_configurations` text,
	`error_message` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`parse_job_id` text,
	`result` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sheets_jobs_by_project` ON `sheets_jobs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sheets_jobs_by_status` ON `sheets_jobs` (`project_id`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `sheets_jobs_open` ON `sheets_jobs` (`created_at`,`id`) WHERE status in ('PENDING', 'RUNNING');--> statement-breakpoint
CREATE INDEX `sheets_jobs_by_file` ON `sheets_jobs` (`file_id`);--> statement-breakpoint
CREATE INDEX `sheets_jobs_by_batch` ON `sheets_jobs` (`batch_id`) WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX `sheets_jobs_by_parse` ON `sheets_jobs` (`parse_job_id`);--> statement-breakpoint
CREATE TABLE `split_jobs` (
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
	`batch_id` text,
	`webhook_configurations` text,
	`error_message` text,
	`attempt` integer DEFAULT 0 NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`parse_job_id` text,
	`result` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `split_jobs_by_project` ON `split_jobs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `split_jobs_by_status` ON `split_jobs` (`project_id`,`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `split_jobs_open` ON `split_jobs` (`created_at`,`id`) WHERE status in ('PENDING', 'RUNNING');--> statement-breakpoint
CREATE INDEX `split_jobs_by_file` ON `split_jobs` (`file_id`);--> statement-breakpoint
CREATE INDEX `split_jobs_by_batch` ON `split_jobs` (`batch_id`) WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX `split_jobs_by_parse` ON `split_jobs` (`parse_job_id`);--> statement-breakpoint
CREATE TABLE `connected_applications` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`project_id` text NOT NULL,
	`api_key_id` text,
	`client_id` text NOT NULL,
	`name` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`can_write` integer NOT NULL,
	`code_hash` text NOT NULL,
	`code_challenge` text NOT NULL,
	`redeemed_at` integer,
	`access_hash` text,
	`access_expires_at` integer,
	`refresh_hash` text,
	`last_used_at` integer,
	`expires_at` integer NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`api_key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `connected_applications_codeHash_unique` ON `connected_applications` (`code_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `connected_applications_accessHash_unique` ON `connected_applications` (`access_hash`);--> statement-breakpoint
CREATE INDEX `connected_applications_by_user` ON `connected_applications` (`organization_id`,`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `connected_applications_by_key` ON `connected_applications` (`api_key_id`);--> statement-breakpoint
CREATE INDEX `connected_applications_by_project` ON `connected_applications` (`project_id`);--> statement-breakpoint
CREATE INDEX `connected_applications_by_expiry` ON `connected_applications` (`expires_at`);--> statement-breakpoint
CREATE TABLE `file_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`pipeline_id` text NOT NULL,
	`file_ids` text NOT NULL,
	`cancelled_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `file_batches_by_pipeline` ON `file_batches` (`pipeline_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `pipelines` ADD `client_metadata` text;--> statement-breakpoint
ALTER TABLE `pipelines` ADD `sweep_id` text;--> statement-breakpoint
CREATE INDEX `pipelines_by_sweep` ON `pipelines` (`sweep_id`) WHERE sweep_id is not null;