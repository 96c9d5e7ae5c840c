CREATE TABLE `directory_indexes` (
	`pipeline_id` text PRIMARY KEY NOT NULL,
	`directory_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`sync_frequency` text NOT NULL,
	`synced_at` integer,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`pipeline_id`) REFERENCES `pipelines`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `directory_indexes_by_directory` ON `directory_indexes` (`directory_id`);--> statement-breakpoint
CREATE TABLE `index_chat_turns` (
	`id` text PRIMARY KEY NOT NULL,
	`chat_id` text NOT NULL,
	`project_id` text NOT NULL,
	`index_ids` text NOT NULL,
	`events` text NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`chat_id`) REFERENCES `index_chats`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `index_chat_turns_in_order` ON `index_chat_turns` (`chat_id`,`id`);--> statement-breakpoint
CREATE INDEX `index_chat_turns_by_project` ON `index_chat_turns` (`project_id`);--> statement-breakpoint
CREATE TABLE `index_chats` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`user_id` text NOT NULL,
	`index_ids` text,
	`title` text,
	`last_run` text,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `index_chats_by_user` ON `index_chats` (`project_id`,`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `index_chats_by_owner` ON `index_chats` (`user_id`);