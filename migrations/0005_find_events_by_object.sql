ALTER TABLE `members` ADD `joined_by_link` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_events_by_object` ON `audit_events` (`organization_id`,`object_id`,`created_at`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `identities_by_member` ON `identities` (`organization_id`,`user_id`);