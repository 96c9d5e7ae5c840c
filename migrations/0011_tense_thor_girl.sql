CREATE TABLE `evaluation_sweeps` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`question_set_id` text NOT NULL,
	`question_set_version` integer NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`pipeline_id` text NOT NULL,
	`target_name` text NOT NULL,
	`metric` text NOT NULL,
	`budget` integer NOT NULL,
	`variants` text NOT NULL,
	`candidates` text NOT NULL,
	`shares` text NOT NULL,
	`caller` text NOT NULL,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`error_message` text,
	`consumer` text,
	`lease_until` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`phase` text NOT NULL,
	`rounds` text NOT NULL,
	`remaining` text NOT NULL,
	`result` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`question_set_id`) REFERENCES `question_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `evaluation_sweeps_by_project` ON `evaluation_sweeps` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `evaluation_sweeps_by_set` ON `evaluation_sweeps` (`question_set_id`);--> statement-breakpoint
CREATE TABLE `sweep_results` (
	`run_id` text NOT NULL,
	`project_id` text NOT NULL,
	`item_id` text NOT NULL,
	`candidate` integer NOT NULL,
	`question_id` text NOT NULL,
	`is_held_out` integer NOT NULL,
	`position` integer NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error_message` text,
	`metrics` text,
	PRIMARY KEY(`run_id`, `item_id`),
	FOREIGN KEY (`run_id`) REFERENCES `evaluation_sweeps`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sweep_results_by_project` ON `sweep_results` (`project_id`,`run_id`,`position`);--> statement-breakpoint
CREATE INDEX `sweep_results_by_status` ON `sweep_results` (`run_id`,`status`,`position`);--> statement-breakpoint
ALTER TABLE `pipelines` ADD `sweep_id` text;--> statement-breakpoint
CREATE INDEX `pipelines_by_sweep` ON `pipelines` (`sweep_id`) WHERE sweep_id is not null;