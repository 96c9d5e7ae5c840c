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
CREATE INDEX `split_jobs_by_parse` ON `split_jobs` (`parse_job_id`);