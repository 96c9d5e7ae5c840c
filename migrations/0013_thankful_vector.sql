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
ALTER TABLE `batches` ADD `directory_id` text;--> statement-breakpoint
CREATE INDEX `batches_by_directory` ON `batches` (`directory_id`,`created_at`) WHERE directory_id is not null;--> statement-breakpoint
ALTER TABLE `configurations` ADD `client_version` text;--> statement-breakpoint
ALTER TABLE `configurations` ADD `creator` text;--> statement-breakpoint
ALTER TABLE `configurations` ADD `source_type` text;--> statement-breakpoint
ALTER TABLE `configurations` ADD `source_id` text;