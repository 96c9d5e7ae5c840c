import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { type AgentData, agentCollections, agentData } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { buildFilter } from './filters.ts';
import {
  type AgentDataSelection,
  MAX_COLLECTION_CHARACTERS,
  MAX_COLLECTION_ITEMS,
  MAX_COLLECTIONS,
  MAX_PROJECT_CHARACTERS,
  type NewAgentData,
} from './input.ts';

/** Names a collection of a project. */
type Collection = Pick<AgentData, 'projectId' | 'deploymentName' | 'collection'>;

export async function getAgentData(ctx: TenantContext, id: string): Promise<AgentData> {
  const row = await ctx.db.query.agentData.findFirst({
    where: and(eq(agentData.id, id), withinScope(ctx, agentData.projectId)),
  });
  if (!row) throw new NotFound('Agent data', id);
  return row;
}

export async function createAgentData(ctx: TenantContext, input: NewAgentData): Promise<AgentData> {
  const now = new Date();
  const place = {
    projectId: ctx.projectId,
    deploymentName: input.deployment_name,
    collection: input.collection,
  };
  const characterCount = JSON.stringify(input.data).length;
  const row = { id: newId(), ...place, data: input.data, characterCount, createdAt: now, updatedAt: now };
  const hasRoomForCollection = sql`(select count(*) from agent_collections where project_id = ${ctx.projectId})
    < ${MAX_COLLECTIONS}`;
  const hasRoomForItem = sql`exists (select 1 from agent_collections where ${whereCollection(place)}
    and item_count < ${MAX_COLLECTION_ITEMS}) and ${hasRoom(place, sql`${characterCount}`)}`;
  await ctx.db.batch([
    buildConditionalInsert(
      ctx,
      createConditionalRow(
        agentCollections,
        { ...place, itemCount: 0, characterCount: 0 },
        hasRoomForCollection,
      ),
    ),
    buildConditionalInsert(ctx, createConditionalRow(agentData, row, hasRoomForItem)),
    ctx.db
      .update(agentCollections)
      .set({
        itemCount: sql`item_count + 1`,
        characterCount: sql`character_count + ${characterCount}`,
      })
      .where(and(whereCollection(place), sql`exists (select 1 from agent_data where id = ${row.id})`)),
    deleteEmptyCollection(ctx, place),
  ]);
  const created = await ctx.db.query.agentData.findFirst({ where: eq(agentData.id, row.id) });
  if (!created) throw createLimitConflict();
  return created;
}

/** Replaces the data of an item. */
export async function updateAgentData(
  ctx: TenantContext,
  id: string,
  data: Record<string, unknown>,
): Promise<AgentData> {
  const before = await getAgentData(ctx, id);
  const characterCount = JSON.stringify(data).length;
  const growth = sql`${characterCount} - agent_data.character_count`;
  const [updated] = await ctx.db.batch([
    ctx.db
      .update(agentData)
      .set({ data, characterCount, updatedAt: new Date() })
      .where(and(eq(agentData.id, id), sql`(${growth} <= 0 or ${hasRoom(before, growth)})`))
      .returning(),
    countAgain(ctx, before),
  ]);
  const [row] = updated;
  if (row) return row;
  await getAgentData(ctx, id);
  throw createLimitConflict();
}

export async function deleteAgentData(ctx: TenantContext, id: string): Promise<void> {
  const row = await getAgentData(ctx, id);
  await ctx.db.batch([
    ctx.db.delete(agentData).where(eq(agentData.id, row.id)),
    countAgain(ctx, row),
    deleteEmptyCollection(ctx, row),
  ]);
}

/** Deletes the items that a filter selects. Returns their number. Without a filter, the collection is deleted. */
export async function deleteSelectedAgentData(
  ctx: TenantContext,
  input: AgentDataSelection,
): Promise<number> {
  const place = {
    projectId: ctx.projectId,
    deploymentName: input.deployment_name,
    collection: input.collection,
  };
  const [deleted] = await ctx.db.batch([
    ctx.db
      .delete(agentData)
      .where(and(whereCollection(place), buildFilter(input.filter)))
      .returning({ id: agentData.id }),
    countAgain(ctx, place),
    deleteEmptyCollection(ctx, place),
  ]);
  return deleted.length;
}

/** Returns the SQL condition that a row, also one in a subquery, belongs to the collection. */
export const whereCollection = ({ projectId, deploymentName, collection }: Collection): SQL =>
  sql`project_id = ${projectId} and deployment_name = ${deploymentName} and collection = ${collection}`;

/** Returns the SQL condition that a collection and its project may grow by a number of characters. */
const hasRoom = (place: Collection, growth: SQL): SQL => sql`
  (select character_count from agent_collections where ${whereCollection(place)}) + ${growth} <= ${MAX_COLLECTION_CHARACTERS}
  and (select sum(character_count) from agent_collections where project_id = ${place.projectId}) + ${growth}
  <= ${MAX_PROJECT_CHARACTERS}`;

function countAgain({ db }: TenantContext, place: Collection) {
  const from = sql`from agent_data where ${whereCollection(place)}`;
  return db
    .update(agentCollections)
    .set({
      itemCount: sql`(select count(*) ${from})`,
      characterCount: sql`(select coalesce(sum(agent_data.character_count), 0) ${from})`,
    })
    .where(whereCollection(place));
}

const deleteEmptyCollection = ({ db }: TenantContext, place: Collection) =>
  db.delete(agentCollections).where(and(whereCollection(place), eq(agentCollections.itemCount, 0)));

const createLimitConflict = () =>
  new Conflict(
    `The item does not fit. A project can have ${MAX_COLLECTIONS} collections with ` +
      `${MAX_PROJECT_CHARACTERS} characters of JSON, and a collection can have ${MAX_COLLECTION_ITEMS} items with ` +
      `${MAX_COLLECTION_CHARACTERS} characters. Delete items first.`,
  );
