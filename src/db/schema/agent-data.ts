import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { createdAt, id, json, updatedAt } from './columns.ts';
import { projects } from './tenancy.ts';

const projectId = () =>
  text()
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

/** Collections that have at least one item, with their size. Limits are checked against this size. */
export const agentCollections = sqliteTable(
  'agent_collections',
  {
    projectId: projectId(),
    deploymentName: text().notNull(),
    collection: text().notNull(),
    itemCount: integer().notNull(),
    /** Size of all items as JSON, in UTF-16 code units. */
    characterCount: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.deploymentName, table.collection] })],
);

/** JSON objects that agents and other programs keep in the collections of their deployment. */
export const agentData = sqliteTable(
  'agent_data',
  {
    id: id(),
    projectId: projectId(),
    deploymentName: text().notNull(),
    collection: text().notNull(),
    data: json<Record<string, unknown>>().notNull(),
    /** Size of the item as JSON, in UTF-16 code units. */
    characterCount: integer().notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    // The index contains the size, so that the size of a collection is computed without reading the items.
    index('agent_data_by_collection').on(
      table.projectId,
      table.deploymentName,
      table.collection,
      table.createdAt,
      table.id,
      table.characterCount,
    ),
  ],
);

export type AgentData = typeof agentData.$inferSelect;
export type AgentCollection = typeof agentCollections.$inferSelect;
