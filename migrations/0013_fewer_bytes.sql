DROP INDEX `pipeline_members_by_arrival`;--> statement-breakpoint
DROP INDEX `pipeline_members_by_source`;--> statement-breakpoint
CREATE INDEX `pipeline_members_by_source` ON `pipeline_members` (`pipeline_id`,`data_source_id`,`created_at`,`id`) WHERE kind = 'file';