import { index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, id, json, moment, updatedAt } from './columns.ts';
import type { Retention } from './retention.ts';

export const organizations = sqliteTable('organizations', {
  id: id(),
  name: text().notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const users = sqliteTable('users', {
  id: id(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});

export const members = sqliteTable(
  'members',
  {
    organizationId: text()
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** What this organization calls them; what others do is not its business. */
    name: text().notNull(),
    /** As this organization gave it; who else knows the address is not its business either. */
    email: text(),
    role: text({ enum: ['admin', 'member'] }).notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.userId] }),
    index('members_by_user').on(table.userId),
    uniqueIndex('members_by_email').on(table.organizationId, table.email),
  ],
);

/** Of a day of UTC, or at a time. 0: none. */
export type LimitName = 'files' | 'bytes' | 'pages_per_day' | 'concurrent_jobs';
export type ProjectLimits = Partial<Record<LimitName, number>>;

export const projects = sqliteTable(
  'projects',
  {
    id: id(),
    organizationId: text()
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    isDefault: flag().notNull().default(false),
    /** What it may have and do at most; what is not named is the installation's default. */
    limits: json<ProjectLimits>(),
    /** After how many days what it owns expires; null: as the installation says. */
    retention: json<Retention>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex('projects_by_name').on(table.organizationId, table.name)],
);

/** A key acts for its user inside one organization, and inside one project when it is scoped to one. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: id(),
    organizationId: text()
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    projectId: text().references(() => projects.id, { onDelete: 'cascade' }),
    /** The key that made it, which may be gone; null: none did. */
    parentId: text(),
    name: text(),
    keyType: text({ enum: ['user', 'agent'] }).notNull(),
    /** Made by somebody else than its user: it must not open what that user has elsewhere. */
    organizationOnly: flag().notNull().default(false),
    /** SHA-256 of the key, hex. The key itself is stored nowhere. */
    hash: text().notNull().unique(),
    redacted: text().notNull(),
    expiresAt: moment(),
    lastUsedAt: moment(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('api_keys_by_organization').on(table.organizationId, table.createdAt),
    index('api_keys_by_parent').on(table.parentId),
  ],
);

/** Somebody who signed in with a key; the session cookie names the row. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: id(),
    apiKeyId: text()
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    expiresAt: moment().notNull(),
  },
  (table) => [index('sessions_by_key').on(table.apiKeyId), index('sessions_by_expiry').on(table.expiresAt)],
);

/** Values of BOOTSTRAP_API_KEY that were put in force: each is once, so that what is revoked stays so. */
export const bootstraps = sqliteTable('bootstraps', {
  keyHash: text().primaryKey(),
  createdAt: createdAt(),
});

export type Organization = typeof organizations.$inferSelect;

export type Project = typeof projects.$inferSelect;

export type ApiKey = typeof apiKeys.$inferSelect;

export type Membership = typeof members.$inferSelect;
