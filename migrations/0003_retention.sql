ALTER TABLE `projects` ADD `retention` text;--> statement-breakpoint
CREATE INDEX `classify_jobs_by_file` ON `classify_jobs` (`file_id`);--> statement-breakpoint
CREATE INDEX `classify_jobs_by_parse` ON `classify_jobs` (`parse_job_id`);--> statement-breakpoint
CREATE INDEX `extract_jobs_by_file` ON `extract_jobs` (`file_id`);--> statement-breakpoint
CREATE INDEX `extract_jobs_by_parse` ON `extract_jobs` (`parse_job_id`);--> statement-breakpoint
CREATE INDEX `parse_jobs_by_file` ON `parse_jobs` (`file_id`);--> statement-breakpoint
CREATE INDEX `parse_jobs_by_content` ON `parse_jobs` (`project_id`,`content_hash`);