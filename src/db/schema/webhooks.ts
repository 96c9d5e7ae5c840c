import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, moment, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/** As text, so that the index below is recognized where a query asks for it. */
export const isOpenDelivery = sql`status = 'pending'`;

/** Project-wide endpoints; secrets and headers inside `configuration` are sealed. */
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
    /** The same for every endpoint that hears of one event, and for each replay. */
    eventId: text().notNull(),
    /** Which of the job's endpoints: deliveries to one wait for those before. */
    endpoint: text().notNull(),
    /** Position among the job's events: deliveries of one job to one endpoint keep this order. */
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
    nextAttemptAt: moment(),
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
