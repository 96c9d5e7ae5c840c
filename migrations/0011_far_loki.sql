CREATE TABLE `agent_collections` (
	`project_id` text NOT NULL,
	`deployment_name` text NOT NULL,
	`collection` text NOT NULL,
	`item_count` integer NOT NULL,
	`character_count` integer NOT NULL,
	PRIMARY KEY(`project_id`, `deployment_name`, `collection`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `agent_data` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`deployment_name` text NOT NULL,
	`collection` text NOT NULL,
	`data` text NOT NULL,
	`character_count` integer NOT NULL,
	`created_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	`updated_at` integer DEFAULT (unixepoch('subsec') * 1000) NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `agent_data_by_collection` ON `agent_data` (`project_id`,`deployment_name`,`collection`,`created_at`,`id`,`character_count`);