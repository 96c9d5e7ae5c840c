CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`message` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL
);
--> statement-breakpoint
CREATE INDEX `dead_letters_by_arrival` ON `dead_letters` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sync_runs_open` ON `sync_runs` (`started_at`,`id`) WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX `classify_jobs_open` ON `classify_jobs` (`created_at`,`id`) WHERE status in ('PENDING', 'RUNNING');--> statement-breakpoint
CREATE INDEX `extract_jobs_open` ON `extract_jobs` (`created_at`,`id`) WHERE status in ('PENDING', 'RUNNING');--> statement-breakpoint
CREATE INDEX `parse_jobs_open` ON `parse_jobs` (`created_at`,`id`) WHERE status in ('PENDING', 'RUNNING');--> statement-breakpoint
CREATE INDEX `webhook_deliveries_open` ON `webhook_deliveries` (`created_at`,`id`) WHERE status = 'pending';