CREATE TABLE `file_tags` (
	`file_id` text NOT NULL,
	`tag` text NOT NULL,
	`project_id` text NOT NULL,
	PRIMARY KEY(`file_id`, `tag`),
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `file_tags_by_tag` ON `file_tags` (`project_id`,`tag`,`file_id`);--> statement-breakpoint
ALTER TABLE `batches` ADD `finished_at` integer;--> statement-breakpoint
ALTER TABLE `files` ADD `folder` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `files_by_folder` ON `files` (`project_id`,`folder`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `identity_sessions` ADD `browser` text;--> statement-breakpoint
ALTER TABLE `identity_sessions` ADD `last_used_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `browser` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `last_used_at` integer;