CREATE TABLE `batch_items` (
	`batch_id` text NOT NULL,
	`project_id` text NOT NULL,
	`position` integer NOT NULL,
	`file_id` text NOT NULL,
	`job_id` text NOT NULL,
	`state` text DEFAULT 'waiting' NOT NULL,
	`error_message` text,
	PRIMARY KEY(`batch_id`, `position`),
	FOREIGN KEY (`batch_id`) REFERENCES `batches`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `batch_items_by_project` ON `batch_items` (`project_id`,`batch_id`,`position`);--> statement-breakpoint
CREATE INDEX `batch_items_by_state` ON `batch_items` (`batch_id`,`state`,`position`);--> statement-breakpoint
CREATE INDEX `batch_items_by_job` ON `batch_items` (`job_id`);--> statement-breakpoint
CREATE TABLE `batches` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`user_id` text NOT NULL,
	`job_type` text NOT NULL,
	`name` text NOT NULL,
	`configuration` text NOT NULL,
	`configuration_id` text,
	`webhook_configurations` text,
	`transaction_id` text,
	`file_count` integer NOT NULL,
	`cancelled_at` integer,
	`deleted_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `batches_by_project` ON `batches` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `batches_by_transaction` ON `batches` (`project_id`,`transaction_id`);--> statement-breakpoint
CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text,
	`user_id` text,
	`key_id` text,
	`operation` text NOT NULL,
	`outcome` text NOT NULL,
	`object_type` text,
	`object_id` text,
	`request_id` text NOT NULL,
	`trace_id` text,
	`address` text,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `audit_events_by_organization` ON `audit_events` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `audit_events_by_user` ON `audit_events` (`user_id`);--> statement-breakpoint
CREATE INDEX `audit_events_by_time` ON `audit_events` (`created_at`);--> statement-breakpoint
CREATE TABLE `identities` (
	`organization_id` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	PRIMARY KEY(`organization_id`, `issuer`, `subject`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `identities_by_user` ON `identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `identity_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `identity_sessions_by_user` ON `identity_sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `identity_sessions_by_expiry` ON `identity_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`email` text,
	`role` text NOT NULL,
	`hash` text NOT NULL,
	`created_by` text,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash_unique` ON `invitations` (`hash`);--> statement-breakpoint
CREATE INDEX `invitations_by_organization` ON `invitations` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `classify_reviews` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`revision` integer NOT NULL,
	`is_approved` integer NOT NULL,
	`user_id` text NOT NULL,
	`user_name` text,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`job_id` text NOT NULL,
	`corrections` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `classify_jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `classify_reviews_by_revision` ON `classify_reviews` (`job_id`,`revision`);--> statement-breakpoint
CREATE INDEX `classify_reviews_by_project` ON `classify_reviews` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `extract_reviews` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`revision` integer NOT NULL,
	`is_approved` integer NOT NULL,
	`user_id` text NOT NULL,
	`user_name` text,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`job_id` text NOT NULL,
	`corrections` text NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`job_id`) REFERENCES `extract_jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `extract_reviews_by_revision` ON `extract_reviews` (`job_id`,`revision`);--> statement-breakpoint
CREATE INDEX `extract_reviews_by_project` ON `extract_reviews` (`project_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `classify_jobs` ADD `batch_id` text;--> statement-breakpoint
CREATE INDEX `classify_jobs_by_batch` ON `classify_jobs` (`batch_id`) WHERE batch_id is not null;--> statement-breakpoint
ALTER TABLE `extract_jobs` ADD `batch_id` text;--> statement-breakpoint
ALTER TABLE `extract_jobs` ADD `confidence_min` real;--> statement-breakpoint
ALTER TABLE `extract_jobs` ADD `confidence_mean` real;--> statement-breakpoint
ALTER TABLE `extract_jobs` ADD `example_job_ids` text;--> statement-breakpoint
CREATE INDEX `extract_jobs_by_batch` ON `extract_jobs` (`batch_id`) WHERE batch_id is not null;--> statement-breakpoint
ALTER TABLE `parse_jobs` ADD `batch_id` text;--> statement-breakpoint
CREATE INDEX `parse_jobs_by_batch` ON `parse_jobs` (`batch_id`) WHERE batch_id is not null;--> statement-breakpoint
ALTER TABLE `pipeline_members` ADD `disabled_chunks` text;--> statement-breakpoint
CREATE INDEX `pipeline_members_with_disabled_chunks` ON `pipeline_members` (`pipeline_id`) WHERE disabled_chunks is not null;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `role` text;