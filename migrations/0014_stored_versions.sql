CREATE TABLE `stored_languages` (
	`index_id` text NOT NULL,
	`language` text NOT NULL,
	`chunks` integer NOT NULL,
	`words` integer NOT NULL,
	PRIMARY KEY(`index_id`, `language`),
	FOREIGN KEY (`index_id`) REFERENCES `pipeline_indexes`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `stored_versions` (
	`index_id` text NOT NULL,
	`document_id` text NOT NULL,
	`version` integer,
	`removed` integer DEFAULT -1 NOT NULL,
	`chunks` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`leftover` integer,
	PRIMARY KEY(`index_id`, `document_id`),
	FOREIGN KEY (`index_id`) REFERENCES `pipeline_indexes`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `stored_versions_with_leftovers` ON `stored_versions` (`index_id`,`document_id`) WHERE leftover is not null;