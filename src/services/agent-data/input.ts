import { z } from 'zod';
import { isDeeperThan } from '#src/lib/json/json-extent.ts';
import { filter } from './filters.ts';

/** Maximum length of an item in characters of JSON. */
export const MAX_ITEM_CHARACTERS = 256 * 1024;
/** Maximum number of items of a collection. A search with a filter may read all of them. */
export const MAX_COLLECTION_ITEMS = 10_000;
/** Maximum length of all items of a collection together, in characters of JSON. */
export const MAX_COLLECTION_CHARACTERS = 32 * 1024 * 1024;
/** Maximum number of collections of a project. */
export const MAX_COLLECTIONS = 200;
/** Maximum length of all items of a project together, in characters of JSON. */
export const MAX_PROJECT_CHARACTERS = 256 * 1024 * 1024;
/** Maximum nesting of an item. SQLite refuses paths into JSON with more than 1,000 levels. */
const MAX_ITEM_DEPTH = 100;
const MAX_NAME_CHARACTERS = 200;
const MAX_OFFSET = 1_000_000;

const name = z.string().min(1).max(MAX_NAME_CHARACTERS);
const collection = name.default('default').describe('Name of the collection. `default` if absent.');
const deploymentName = name.describe('Name of the deployment or agent that owns the collection.');

const data = z
  .record(z.string(), z.unknown())
  .refine((given) => JSON.stringify(given).length <= MAX_ITEM_CHARACTERS, {
    message: `must have at most ${MAX_ITEM_CHARACTERS} characters as JSON`,
  })
  .refine((given) => !isDeeperThan(given, MAX_ITEM_DEPTH), {
    message: `must have at most ${MAX_ITEM_DEPTH} levels of nesting`,
  })
  .describe('The item, a JSON object.');

export const newAgentData = z.object({ deployment_name: deploymentName, collection, data });
export type NewAgentData = z.infer<typeof newAgentData>;

export const agentDataChanges = z.object({ data });

/** Selects items of one collection. */
const selection = z.object({ deployment_name: deploymentName, collection, filter: filter.nullish() });

const page = {
  page_size: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe('Maximum number of results per page, 50 by default. A page of large results has fewer.'),
  page_token: z
    .string()
    .nullish()
    .describe('The `next_page_token` of the previous page. Absent for the first page.'),
  offset: z
    .number()
    .int()
    .min(0)
    .max(MAX_OFFSET)
    .nullish()
    .describe('Number of results to skip. Ignored if `page_token` is present.'),
};

const orderBy = z
  .string()
  .max(1000)
  .nullish()
  .describe('Fields to sort by, separated by commas, each in ascending order or followed by ` desc`.');

export const agentDataSearch = selection.extend({
  order_by: orderBy,
  include_total: z.boolean().nullish().describe('Whether the answer has `total_size`.'),
  ...page,
});
export type AgentDataSearch = z.infer<typeof agentDataSearch>;

export const agentDataAggregation = selection.extend({
  group_by: z
    .array(z.string())
    .max(4)
    .nullish()
    .describe('Fields with whose values the items are grouped. Without fields, all items are one group.'),
  count: z.boolean().nullish().describe('Whether groups have the number of their items.'),
  first: z.boolean().nullish().describe('Whether groups have the item that was created first.'),
  order_by: orderBy.describe(
    'Fields of `group_by`, or `count`, to sort by, separated by commas. By default, all fields of `group_by`.',
  ),
  ...page,
});
export type AgentDataAggregation = z.infer<typeof agentDataAggregation>;

export const agentDataDeletion = selection;
export type AgentDataSelection = z.infer<typeof selection>;
