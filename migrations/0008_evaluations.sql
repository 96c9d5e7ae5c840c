CREATE TABLE `question_sets` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `question_sets_by_name` ON `question_sets` (`project_id`,`name`);--> statement-breakpoint
CREATE INDEX `question_sets_by_project` ON `question_sets` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `questions` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`question_set_id` text NOT NULL,
	`position` integer NOT NULL,
	`external_id` text,
	`text` text NOT NULL,
	`tags` text NOT NULL,
	`expectations` text NOT NULL,
	`expected_answer` text,
	`expects_refusal` integer NOT NULL,
	`origin` text NOT NULL,
	`documents` text NOT NULL,
	`character_count` integer NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`question_set_id`) REFERENCES `question_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `questions_by_set` ON `questions` (`question_set_id`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `questions_by_project` ON `questions` (`project_id`,`question_set_id`,`position`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `questions_by_external_id` ON `questions` (`question_set_id`,`external_id`) WHERE external_id is not null;--> statement-breakpoint
CREATE TABLE `evaluation_results` (
	`run_id` text NOT NULL,
	`project_id` text NOT NULL,
	`question_id` text NOT NULL,
	`position` integer NOT NULL,
	`text` text NOT NULL,
	`tags` text NOT NULL,
	`expectations` text NOT NULL,
	`expected_answer` text,
	`expects_refusal` integer NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error_message` text,
	`metrics` text,
	`retrieved` text,
	`answer` text,
	PRIMARY KEY(`run_id`, `question_id`),
	FOREIGN KEY (`run_id`) REFERENCES `evaluation_runs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `evaluation_results_by_project` ON `evaluation_results` (`project_id`,`run_id`,`position`);--> statement-breakpoint
CREATE INDEX `evaluation_results_by_status` ON `evaluation_results` (`run_id`,`status`,`position`);--> statement-breakpoint
CREATE TABLE `evaluation_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`question_set_id` text NOT NULL,
	`question_set_version` integer NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`pipeline_id` text,
	`retriever_id` text,
	`target_name` text NOT NULL,
	`parameters` text NOT NULL,
	`has_answers` integer NOT NULL,
	`caller` text NOT NULL,
	`status` text DEFAULT 'PENDING' NOT NULL,
	`error_message` text,
	`question_count` integer NOT NULL,
	`sample` text,
	`summary` text,
	`consumer` text,
	`lease_until` integer,
	`finished_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`question_set_id`) REFERENCES `question_sets`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `evaluation_runs_by_project` ON `evaluation_runs` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `evaluation_runs_by_set` ON `evaluation_runs` (`question_set_id`,`created_at`,`id`);