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
ALTER TABLE `pipeline_members` ADD `chunk_metadata` text;--> statement-breakpoint
CREATE INDEX `pipeline_members_with_chunk_metadata` ON `pipeline_members` (`pipeline_id`) WHERE chunk_metadata is not null;