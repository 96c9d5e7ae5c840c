CREATE TABLE `accuracy_results` (
	`run_id` text NOT NULL,
	`project_id` text NOT NULL,
	`file_id` text NOT NULL,
	`position` integer NOT NULL,
	`expected` text NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error_message` text,
	`metrics` text,
	`outcome` text,
	PRIMARY KEY(`run_id`, `file_id`),
	FOREIGN KEY (`run_id`) REFERENCES `accuracy_runs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `accuracy_results_by_project` ON `accuracy_results` (`project_id`,`run_id`,`position`);--> statement-breakpoint
CREATE INDEX `accuracy_results_by_status` ON `accuracy_results` (`run_id`,`status`,`position`);--> statement-breakpoint
CREATE INDEX `accuracy_results_by_file` ON `accuracy_results` (`file_id`);--> statement-breakpoint
CREATE TABLE `accuracy_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`truth_set_id` text NOT NULL,
	`truth_set_version` integer NOT NULL,
	`kind` text NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`configuration` text NOT NULL,
	`configuration_id` text,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`error_message` text,
	`consumer` text,
	`lease_until` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`summary` text,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`truth_set_id`) REFERENCES `truth_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `accuracy_runs_by_project` ON `accuracy_runs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `accuracy_runs_by_set` ON `accuracy_runs` (`truth_set_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `truth_sets` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `truth_sets_by_name` ON `truth_sets` (`project_id`,`name`);--> statement-breakpoint
CREATE INDEX `truth_sets_by_project` ON `truth_sets` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `truths` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`truth_set_id` text NOT NULL,
	`file_id` text NOT NULL,
	`expected` text NOT NULL,
	`origin` text NOT NULL,
	`job_id` text,
	`file_hash` text NOT NULL,
	`character_count` integer NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`truth_set_id`) REFERENCES `truth_sets`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`file_id`) REFERENCES `files`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `truths_by_set` ON `truths` (`truth_set_id`,`file_id`);--> statement-breakpoint
CREATE INDEX `truths_by_project` ON `truths` (`project_id`,`truth_set_id`,`file_id`);--> statement-breakpoint
CREATE INDEX `truths_by_file` ON `truths` (`file_id`);