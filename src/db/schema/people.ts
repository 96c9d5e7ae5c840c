import { index, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { createdAt, flag, id, timestamp } from './columns.ts';
import { apiKeys, organizations, projects, ROLES, users } from './tenancy.ts';

/** Invitations to an organization. Whoever opens the link first becomes a member. */
export const invitations = sqliteTable(
  'invitations',
  {
    id: id(),
    organizationId: text()
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** E-mail address that an admin entered. The new member gets it. */
    email: text(),
    role: text({ enum: ROLES }).notNull(),
    /** SHA-256 hash of the token in the link, in hexadecimal. The token itself is not stored. */
    hash: text().notNull().unique(),
    /** User who created the invitation. Null if the user was removed. */
    createdBy: text().references(() => users.id, { onDelete: 'set null' }),
    expiresAt: timestamp().notNull(),
    /** Time at which the invitation was used. Null until then. */
    acceptedAt: timestamp(),
    createdAt: createdAt(),
  },
  (table) => [index('invitations_by_organization').on(table.organizationId, table.createdAt, table.id)],
);

/** Accounts at identity providers with which members of an organization sign in. */
export const identities = sqliteTable(
  'identities',
  {
    organizationId: text()
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Issuer of the identity provider, as its ID tokens name it. */
    issuer: text().notNull(),
    /** The `sub` claim, which identifies the account at the issuer. It never changes, unlike an address. */
    subject: text().notNull(),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.issuer, table.subject] }),
    index('identities_by_user').on(table.userId),
    // Only the account that was linked first signs in as a member.
    uniqueIndex('identities_by_member').on(table.organizationId, table.userId),
  ],
);

/** Browser sessions of members who signed in with an identity provider. */
export const identitySessions = sqliteTable(
  'identity_sessions',
  {
    id: id(),
    organizationId: text()
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Browser and system at the sign-in, such as `Firefox on Linux`. Null if unknown. */
    browser: text(),
    /** Time of the last request, to the minute. Null before the first request. */
    lastUsedAt: timestamp(),
    expiresAt: timestamp().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('identity_sessions_by_user').on(table.userId),
    index('identity_sessions_by_expiry').on(table.expiresAt),
  ],
);

/**
 * Applications that users have connected to `/mcp` with OAuth. A row holds the authorization code and the current
 * tokens as hashes. It acts for its user within one project.
 */
export const connectedApplications = sqliteTable(
  'connected_applications',
  {
    id: id(),
    organizationId: text()
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    projectId: text()
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    /**
     * API key with which the user had signed in to the console. The application is disconnected with the key. Null if
     * an identity provider identified the user.
     */
    apiKeyId: text().references(() => apiKeys.id, { onDelete: 'cascade' }),
    clientId: text().notNull(),
    /** Name that the application gave itself. It is not verified. */
    name: text().notNull(),
    redirectUri: text().notNull(),
    /** Whether the user also granted the scope `sluice:write`. */
    canWrite: flag().notNull(),
    /** SHA-256 hash of the authorization code. The hash stays, so that a second use of the code is noticed. */
    codeHash: text().notNull().unique(),
    /** PKCE challenge of the authorization request: the SHA-256 hash of the verifier in base64url. */
    codeChallenge: text().notNull(),
    /** Time at which the code was exchanged for tokens. Null until then. */
    redeemedAt: timestamp(),
    /** SHA-256 hash of the access token. Null until the code is exchanged. */
    accessHash: text().unique(),
    accessExpiresAt: timestamp(),
    /** SHA-256 hash of the only refresh token that is valid. Null until the code is exchanged. */
    refreshHash: text(),
    /** Time of the last request, to the minute. Null before the first request. */
    lastUsedAt: timestamp(),
    /** Time at which the code or, after the exchange, the refresh token expires. */
    expiresAt: timestamp().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    index('connected_applications_by_user').on(table.organizationId, table.userId, table.createdAt, table.id),
    index('connected_applications_by_key').on(table.apiKeyId),
    index('connected_applications_by_project').on(table.projectId),
    index('connected_applications_by_expiry').on(table.expiresAt),
  ],
);

/**
 * Log of changes and sign-ins. Rows are only added and expire. The only later change is that removing a user
 * clears `userId`, `keyId` and `address` of the user's rows.
 */
export const auditEvents = sqliteTable(
  'audit_events',
  {
    id: id(),
    organizationId: text()
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    /** Project of the changed object. It is no foreign key, because events outlive their project. */
    projectId: text(),
    /** Null if the user is unknown or was removed. */
    userId: text(),
    /** API key of the request. Null if the request came from a browser that used no key. */
    keyId: text(),
    /** Id of the operation, such as `deletePipeline`. */
    operation: text().notNull(),
    outcome: text({ enum: ['success', 'failure'] }).notNull(),
    objectType: text(),
    objectId: text(),
    requestId: text().notNull(),
    traceId: text(),
    /** Address of the client. Stored only if AUDIT_LOG_ADDRESSES is set. */
    address: text(),
    createdAt: createdAt(),
  },
  (table) => [
    index('audit_events_by_organization').on(table.organizationId, table.createdAt, table.id),
    index('audit_events_by_object').on(table.organizationId, table.objectId, table.createdAt, table.id),
    index('audit_events_by_user').on(table.userId),
  ],
);

export type Invitation = typeof invitations.$inferSelect;

export type ConnectedApplication = typeof connectedApplications.$inferSelect;

export type AuditEvent = typeof auditEvents.$inferSelect;
