import { type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { DEFAULT_PAGE_SIZE, type Page } from '#src/db/paging.ts';
import { agentData } from '#src/db/schema/index.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Invalid } from '#src/lib/errors.ts';
import { parseDataField, parseOrder } from './fields.ts';
import type { AgentDataAggregation } from './input.ts';
import { getOffset, readById, takeFitting, whereSelected } from './search.ts';

const MAX_GROUPS_PER_PAGE = 100;
/** Length of the time that precedes the id of the first item of a group. */
const TIME_DIGITS = 15;

/** Items with the same values of the fields by which they are grouped. */
export interface AgentDataGroup {
  group_key: Record<string, unknown>;
  count: number | null;
  first_item: Record<string, unknown> | null;
}

interface FoundGroup {
  /** JSON of the values of the group, in the order of the fields. */
  key: string;
  count: number;
  /** Creation time and id of the item that was created first. Null if no item was found. */
  first: string | null;
}

/** Groups the items that a filter selects. Missing members and null are the same group. */
export async function aggregateAgentData(
  ctx: TenantContext,
  input: AgentDataAggregation,
): Promise<Page<AgentDataGroup>> {
  const fields = (input.group_by ?? []).map((name, index) => parseDataField(name, ['group_by', index]));
  const offset = getOffset(input, true);
  const size = Math.min(input.page_size ?? DEFAULT_PAGE_SIZE, MAX_GROUPS_PER_PAGE);
  const values = fields.map(({ path }) => sql`coalesce(${agentData.data} -> ${path}, 'null')`);
  const key = values.length === 0 ? sql`'[]'` : sql`'[' || ${sql.join(values, sql` || ',' || `)} || ']'`;
  const grouped = values.length === 0 ? sql`` : sql`group by 1`;
  const found = await ctx.db.all<FoundGroup>(sql`
    select ${key} as key, count(*) as count,
      min(printf(${`%0${TIME_DIGITS}d`}, ${agentData.createdAt}) || ${agentData.id}) as first
    from ${agentData} where ${whereSelected(ctx, input)} ${grouped}
    order by ${sql.join([...buildOrder(input, fields), sql`1`], sql`, `)} limit ${size + 1} offset ${offset}`);
  const shown = found.slice(0, size);
  const wantedIds = input.first ? shown.flatMap((group) => getFirstId(group) ?? []) : [];
  const sizes = await measureItems(ctx, wantedIds);
  const measure = (group: FoundGroup) => group.key.length + (sizes.get(getFirstId(group) ?? '') ?? 0);
  const taken = takeFitting(shown, measure);
  const firstItems = await readById(
    ctx,
    input.first ? taken.flatMap((group) => getFirstId(group) ?? []) : [],
  );
  return {
    items: taken.map((group) => {
      const parsed = JSON.parse(group.key) as unknown[];
      return {
        group_key: Object.fromEntries(fields.map(({ name }, index) => [name, parsed[index]])),
        count: input.count ? group.count : null,
        first_item: firstItems.get(getFirstId(group) ?? '')?.data ?? null,
      };
    }),
    next_page_token: found.length > taken.length ? encodeCursor([offset + taken.length]) : null,
  };
}

const getFirstId = ({ first }: FoundGroup) => first?.slice(TIME_DIGITS);

/** Returns the terms by which groups are sorted. All items of a group have the same values of its fields. */
function buildOrder(input: AgentDataAggregation, fields: { name: string; path: string }[]): SQL[] {
  const toValue = ({ path }: { path: string }) => sql`min(json_extract(${agentData.data}, ${path}))`;
  const order = parseOrder(input.order_by);
  if (order.length === 0) return fields.map(toValue);
  return order.map(({ name, direction }) => {
    if (name === 'count') return sql`count(*) ${direction}`;
    const field = fields.find((each) => each.name === name);
    if (field) return sql`${toValue(field)} ${direction}`;
    throw Invalid.field(['order_by'], 'Value error, must have only fields of group_by, or count');
  });
}

async function measureItems({ db }: TenantContext, ids: string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { id, characterCount } = agentData;
  const rows = await db.select({ id, characterCount }).from(agentData).where(isInList(id, ids));
  return new Map(rows.map((row) => [row.id, row.characterCount]));
}
