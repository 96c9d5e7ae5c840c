import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, timestamp, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/**
 * Condition as raw SQL text. SQLite uses the partial index below only if a query contains exactly this text.
 */
export const isOpenDelivery = sql`status = 'pending'`;

/**
 * Webhook endpoints that receive the events of a whole project. Secrets and headers inside `configuration`
 * are sealed.
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
    /** Id of the event. All endpoints and all replays of the event have the same id. */
    eventId: text().notNull(),
    /**
     * Identifies the job's endpoint. A delivery waits until earlier deliveries to the same endpoint are
     * finished.
     */
    endpoint: text().notNull(),
    /**
     * Position of the event among the events of the job. Deliveries of a job to one endpoint are sent in this
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
