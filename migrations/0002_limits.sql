CREATE TABLE `project_pages` (
	`project_id` text NOT NULL,
	`day` text NOT NULL,
	`pages` integer NOT NULL,
	PRIMARY KEY(`project_id`, `day`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `project_storage` (
	`project_id` text PRIMARY KEY NOT NULL,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `projects` ADD `limits` text;--> statement-breakpoint
-- An upload is a file from its announcement on, an entry of a data source once its bytes have been fetched.
CREATE TRIGGER `project_storage_in` AFTER INSERT ON `files`
WHEN new.origin = '' OR new.storage_key IS NOT NULL
BEGIN
	UPDATE `project_storage` SET
		`files` = `files` + 1,
		`bytes` = `bytes` + ifnull(new.file_size, 0) * (new.storage_key IS NOT NULL)
	WHERE `project_id` = new.project_id;
END;
--> statement-breakpoint
CREATE TRIGGER `project_storage_out` AFTER DELETE ON `files`
WHEN old.origin = '' OR old.storage_key IS NOT NULL
BEGIN
	UPDATE `project_storage` SET
		`files` = `files` - 1,
		`bytes` = `bytes` - ifnull(old.file_size, 0) * (old.storage_key IS NOT NULL)
	WHERE `project_id` = old.project_id;
END;
--> statement-breakpoint
CREATE TRIGGER `project_storage_changed` AFTER UPDATE OF `file_size`, `storage_key` ON `files`
WHEN old.storage_key IS NOT NULL OR new.storage_key IS NOT NULL
BEGIN
	UPDATE `project_storage` SET
		`files` = `files` + (new.origin = '' OR new.storage_key IS NOT NULL) - (old.origin = '' OR old.storage_key IS NOT NULL),
		`bytes` = `bytes` + ifnull(new.file_size, 0) * (new.storage_key IS NOT NULL) - ifnull(old.file_size, 0) * (old.storage_key IS NOT NULL)
	WHERE `project_id` = new.project_id;
END;
