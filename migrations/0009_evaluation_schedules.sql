CREATE TABLE `evaluation_schedules` (
	`question_set_id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`user_id` text NOT NULL,
	`pipeline_id` text,
	`retriever_id` text,
	`target_name` text NOT NULL,
	`parameters` text NOT NULL,
	`has_answers` integer NOT NULL,
	`interval_seconds` integer NOT NULL,
	`is_paused` integer NOT NULL,
	`keep_runs` integer NOT NULL,
	`limits` text NOT NULL,
	`caller` text NOT NULL,
	`next_run_at` integer NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`question_set_id`) REFERENCES `question_sets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `evaluation_runs` ADD `is_scheduled` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `evaluation_runs` ADD `limits` text;--> statement-breakpoint
ALTER TABLE `evaluation_runs` ADD `report` text;