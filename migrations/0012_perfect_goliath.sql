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
CREATE INDEX `connected_applications_by_expiry` ON `connected_applications` (`expires_at`);