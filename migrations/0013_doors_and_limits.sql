CREATE TABLE `directory_indexes` (
	`pipeline_id` text PRIMARY KEY NOT NULL,
	`directory_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`sync_frequency` text NOT NULL,
	`synced_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `directory_indexes_by_directory` ON `directory_indexes` (`directory_id`);--> statement-breakpoint
CREATE TABLE `directories` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`type` text NOT NULL,
	`system_metadata` text,
	`expires_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `directories_by_project` ON `directories` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `directories_by_expiry` ON `directories` (`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
CREATE TABLE `directory_files` (
	`directory_id` text NOT NULL,
	`file_id` text NOT NULL,
	`project_id` text NOT NULL,
	`unique_id` text NOT NULL,
	`display_name` text NOT NULL,
	`metadata` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	PRIMARY KEY(`directory_id`, `file_id`),
	FOREIGN KEY (`directory_id`) REFERENCES `directories`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `directory_files_by_unique_id` ON `directory_files` (`directory_id`,`unique_id`);--> statement-breakpoint
CREATE INDEX `directory_files_by_creation` ON `directory_files` (`directory_id`,`created_at`,`file_id`);--> statement-breakpoint
CREATE INDEX `directory_files_by_project` ON `directory_files` (`project_id`,`directory_id`,`file_id`);--> statement-breakpoint
CREATE INDEX `directory_files_by_file` ON `directory_files` (`file_id`);--> statement-breakpoint
CREATE TABLE `index_chat_turns` (
	`id` text PRIMARY KEY NOT NULL,
	`chat_id` text NOT NULL,
	`project_id` text NOT NULL,
	`index_ids` text NOT NULL,
	`events` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`chat_id`) REFERENCES `index_chats`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `index_chat_turns_in_order` ON `index_chat_turns` (`chat_id`,`id`);--> statement-breakpoint
CREATE INDEX `index_chat_turns_by_project` ON `index_chat_turns` (`project_id`);--> statement-breakpoint
CREATE TABLE `index_chats` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`user_id` text NOT NULL,
	`index_ids` text,
	`title` text,
	`last_run` text,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `index_chats_by_user` ON `index_chats` (`project_id`,`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `index_chats_by_owner` ON `index_chats` (`user_id`);--> statement-breakpoint
DROP INDEX `pipeline_members_by_arrival`;--> statement-breakpoint
DROP INDEX `pipeline_members_by_source`;--> statement-breakpoint
CREATE INDEX `pipeline_members_by_source` ON `pipeline_members` (`pipeline_id`,`data_source_id`,`created_at`,`id`) WHERE kind = 'file';--> statement-breakpoint
ALTER TABLE `batches` ADD `directory_id` text;--> statement-breakpoint
CREATE INDEX `batches_by_directory` ON `batches` (`directory_id`,`created_at`) WHERE directory_id is not null;--> statement-breakpoint
ALTER TABLE `configurations` ADD `client_version` text;--> statement-breakpoint
ALTER TABLE `configurations` ADD `creator` text;--> statement-breakpoint
ALTER TABLE `configurations` ADD `source_type` text;--> statement-breakpoint
ALTER TABLE `configurations` ADD `source_id` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `scope` text;