import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/**
 * SQL condition for pending webhook deliveries. SQLite uses the partial index below only if a query contains
 * exactly the same text.
 */
export const isOpenDelivery = sql`status = 'pending'`;

/**
 * Webhook endpoints that receive all events of a project. Secrets and headers inside `configuration` are
 * encrypted.
 */
export const webhookConfigs = sqliteTable(
  'webhook_configs',
  {
    id: id(),
    projectId: projectId(),
    configuration: json<Record<string, unknown>>().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('webhook_configs_by_project').on(table.projectId, table.createdAt, table.id)],
);

export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: id(),
    projectId: projectId(),
    jobId: text().notNull(),
    /** Id of the reported event. All deliveries of an event have the same id, including repeated ones. */
    eventId: text().notNull(),
    /**
     * Identifies the endpoint that receives the event. A delivery waits until earlier deliveries to the same
     * endpoint are finished.
     */
    endpoint: text().notNull(),
    /**
     * Sequence number of the event within its job. Events of a job are delivered to an endpoint in this
     * order.
     */
    sequence: integer().notNull(),
    eventType: text().notNull(),
    configuration: json<Record<string, unknown>>().notNull(),
    body: text().notNull(),
    status: text({ enum: ['pending', 'delivered', 'dead'] })
      .notNull()
      .default('pending'),
    attempts: integer().notNull().default(0),
    lastStatusCode: integer(),
    lastError: text(),
    nextAttemptAt: timestamp(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('webhook_deliveries_by_project').on(table.projectId, table.createdAt, table.id),
    index('webhook_deliveries_by_status').on(table.projectId, table.status, table.createdAt),
    index('webhook_deliveries_by_job').on(table.jobId, table.sequence),
    index('webhook_deliveries_open').on(table.createdAt, table.id).where(isOpenDelivery),
  ],
);

export type WebhookConfig = typeof webhookConfigs.$inferSelect;

export type WebhookDelivery = typeof webhookDeliveries.$inferSelect;
