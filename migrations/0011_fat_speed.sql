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
ALTER TABLE `pipelines` ADD `client_metadata` text;