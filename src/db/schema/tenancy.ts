import { index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, id, json, timestamp, updatedAt } from './columns.ts';

/** Kinds of data that expire, each after its own number of days. */
export const RETENTION_KINDS = ['files', 'parses', 'jobs', 'webhook_deliveries', 'usage'] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/**
 * Number of days after which each kind of data expires. If a number is missing, the installation's default
 * applies.
 */
export type Retention = { [Kind in RetentionKind as `${Kind}_days`]?: number | null };

/** Roles of members. A viewer reads, retrieves and chats, and changes nothing that others see. */
export const ROLES = ['admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Scopes of API keys. Each scope includes the scopes before it. `retrieve` retrieves and chats, `read` also reads
 * everything else, `write` also changes projects and their data, and `admin` leaves a key all rights of its user.
 */
export const API_SCOPES = ['retrieve', 'read', 'write', 'admin'] as const;
export type ApiScope = (typeof API_SCOPES)[number];

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
    /** Name of the user within this organization. Other organizations do not see this name. */
    name: text().notNull(),
    /** E-mail address that this organization entered for the user. Other organizations do not see it. */
    email: text(),
    role: text({ enum: ROLES }).notNull(),
    /**
     * Whether the member joined with an invitation link and has never signed in with an identity provider. The
     * address is then unverified: whoever opened the link first got it.
     */
    joinedByLink: flag().notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.userId] }),
    index('members_by_user').on(table.userId),
    uniqueIndex('members_by_email').on(table.organizationId, table.email),
  ],
);

/**
 * Names of project limits. `pages_per_day` limits pages per UTC day, and `concurrent_jobs` limits jobs at one
 * time. A limit of 0 allows nothing.
 */
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
    /** Limits of the project by name. The installation's defaults apply to missing limits. */
    limits: json<ProjectLimits>(),
    /** Number of days after which each kind of data expires. Null applies the installation's defaults. */
    retention: json<Retention>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [uniqueIndex('projects_by_name').on(table.organizationId, table.name)],
);

/** API keys. A key acts for its user within one organization, or within one project if `projectId` is set. */
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
    /**
     * Id of the API key that created this key. The id remains after the creating key is deleted. Null if no
     * key created it.
     */
    parentId: text(),
    name: text(),
    keyType: text({ enum: ['user', 'agent'] }).notNull(),
    /**
     * Whether someone other than the key's user created the key. Such a key cannot access the user's other
     * organizations.
     */
    organizationOnly: flag().notNull().default(false),
    /**
     * `viewer` if the key can only do what viewers may do. Releases without scopes read only this column, so it
     * is also set for the scopes `retrieve` and `read`.
     */
    role: text({ enum: ['viewer'] }),
    /** Scope of the key. Null in keys that were created without one, whose rights follow from `role`. */
    scope: text({ enum: API_SCOPES }),
    /** SHA-256 hash of the key in hexadecimal. The key itself is not stored. */
    hash: text().notNull().unique(),
    redacted: text().notNull(),
    expiresAt: timestamp(),
    lastUsedAt: timestamp(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('api_keys_by_organization').on(table.organizationId, table.createdAt),
    index('api_keys_by_parent').on(table.parentId),
  ],
);

/** Browser sessions of users who signed in with an API key. The session cookie contains the id of the row. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: id(),
    apiKeyId: text()
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    /** Browser and system at the sign-in, such as `Firefox on Linux`. Null if unknown. */
    browser: text(),
    /** Time of the last request, to the minute. Null before the first request. */
    lastUsedAt: timestamp(),
    expiresAt: timestamp().notNull(),
  },
  (table) => [index('sessions_by_key').on(table.apiKeyId), index('sessions_by_expiry').on(table.expiresAt)],
);

/**
 * Hashes of BOOTSTRAP_API_KEY values that were already used. A value works once, so that a revoked key does
 * not come back.
 */
export const bootstraps = sqliteTable('bootstraps', {
  keyHash: text().primaryKey(),
  createdAt: createdAt(),
});

export type Organization = typeof organizations.$inferSelect;

export type Project = typeof projects.$inferSelect;

export type ApiKey = typeof apiKeys.$inferSelect;

export type Membership = typeof members.$inferSelect;
