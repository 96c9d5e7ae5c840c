CREATE TABLE `trace_settings` (
	`project_id` text PRIMARY KEY NOT NULL,
	`sample_rate` real NOT NULL,
	`retention_days` integer NOT NULL,
	`record_text` integer NOT NULL,
	`redact_where` text,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `traces` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`pipeline_id` text,
	`retriever_id` text,
	`session_id` text,
	`user_id` text,
	`key_id` text,
	`request_id` text,
	`question` text,
	`duration_ms` integer,
	`is_refused` integer DEFAULT false NOT NULL,
	`error_code` text,
	`details` text,
	`rating` text,
	`comment` text,
	`rated_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`retriever_id`) REFERENCES `retrievers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`session_id`) REFERENCES `chat_sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `traces_by_project` ON `traces` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `traces_by_pipeline` ON `traces` (`pipeline_id`) WHERE pipeline_id is not null;--> statement-breakpoint
CREATE INDEX `traces_by_retriever` ON `traces` (`retriever_id`) WHERE retriever_id is not null;--> statement-breakpoint
CREATE INDEX `traces_by_session` ON `traces` (`session_id`) WHERE session_id is not null;--> statement-breakpoint
CREATE INDEX `traces_by_user` ON `traces` (`user_id`);