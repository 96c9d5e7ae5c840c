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
CREATE TABLE `retrieval_presets` (
	`id` text PRIMARY KEY NOT NULL,
	`pipeline_id` text NOT NULL,
	`name` text NOT NULL,
	`parameters` text NOT NULL,
	`is_chosen` integer DEFAULT false NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `retrieval_presets_by_name` ON `retrieval_presets` (`pipeline_id`,`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `retrieval_presets_chosen` ON `retrieval_presets` (`pipeline_id`) WHERE is_chosen;--> statement-breakpoint
ALTER TABLE `batches` ADD `finished_at` integer;--> statement-breakpoint
ALTER TABLE `files` ADD `folder` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `files_by_folder` ON `files` (`project_id`,`folder`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `identity_sessions` ADD `browser` text;--> statement-breakpoint
ALTER TABLE `identity_sessions` ADD `last_used_at` integer;--> statement-breakpoint
ALTER TABLE `pipeline_members` ADD `chunk_metadata` text;--> statement-breakpoint
CREATE INDEX `pipeline_members_with_chunk_metadata` ON `pipeline_members` (`pipeline_id`) WHERE chunk_metadata is not null;--> statement-breakpoint
ALTER TABLE `members` ADD `joined_by_link` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `browser` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `last_used_at` integer;--> statement-breakpoint
CREATE INDEX `audit_events_by_object` ON `audit_events` (`organization_id`,`object_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `identities_by_member` ON `identities` (`organization_id`,`user_id`);