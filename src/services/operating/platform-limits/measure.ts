import { desc, ne, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { pipelineIndexes } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import type { Sample } from '#src/metrics/sample.ts';
import type { LimitUse } from './limit.ts';
import { CLOUDFLARE_LIMITS, type CloudflareLimitName, SHARED_LIMITS } from './registry.ts';

/** Upper bound for the bytes of a queue message, which contains ids only. */
const MESSAGE_BYTES = 1_000;
/** Number of indexes whose shards are asked for the size of their databases. */
const ASKED_INDEXES = 10;

/** Current gauges by metric name and first label. Some limits concern values that gauges already contain. */
type Gauges = readonly Sample[];
type Measure = (ctx: Context, gauges: Gauges) => Promise<LimitUse[]> | LimitUse[];

const MEASURES: Record<CloudflareLimitName, Measure> = {
  async database_size({ db }) {
    const { meta } = await db.run(sql`select 1`);
    return [{ used: meta.size_after }];
  },
  async table_columns({ db }) {
    // D1 refuses to describe tables of Cloudflare and SQLite.
    const rows = await db.all<{ part: string; used: number }>(
      sql`select m.name as part, (select count(*) from pragma_table_info(m.name)) as used from sqlite_master m
        where m.type = 'table' and m.name not glob '_cf_*' and m.name not glob 'sqlite_*' order by used desc limit 1`,
    );
    return rows;
  },
  shard_storage: measureShards,
  async index_shards(ctx) {
    const rows = await selectLargestIndexes(ctx).limit(1);
    return rows.map(({ pipelineId, shards }) => ({ used: shards, part: `pipeline ${pipelineId}` }));
  },
  queue_backlog(_, gauges) {
    const open = sumValues(gauges, 'sluice_open') + sumValues(gauges, 'sluice_sync_items');
    return [{ used: open * MESSAGE_BYTES }];
  },
  queue_retention(_, gauges) {
    const ages = gauges.filter(({ name, labels }) => {
      return name === 'sluice_oldest_seconds' && labels[0] !== 'dead_letter';
    });
    return ages.map(({ labels, values }) => ({ used: values[0] ?? 0, part: `${labels[0]}` }));
  },
  async vectorize_vectors({ platform }) {
    const counts = await platform.countVectors();
    return [...counts].map(([part, used]) => ({ used, part }));
  },
  variables: ({ platform }) => [{ used: platform.variableSizes.size }],
  variable_size: ({ platform }) =>
    [...platform.variableSizes].map(([part, used]): LimitUse => ({ used, part })),
};

/** Limits that cost at most one statement to measure, so that metrics contain them. */
const CHEAP: readonly CloudflareLimitName[] = [
  'database_size',
  'index_shards',
  'queue_backlog',
  'queue_retention',
  'variables',
];

export interface MeasuredLimit {
  name: CloudflareLimitName;
  uses: LimitUse[];
}

/**
 * Measures the limits that apply to this installation. With `onlyCheap`, limits that need calls of shards or
 * of Vectorize are left out.
 */
export function measureLimits(
  ctx: Context,
  gauges: Gauges,
  { onlyCheap = false } = {},
): Promise<MeasuredLimit[]> {
  const all = Object.keys(CLOUDFLARE_LIMITS) as CloudflareLimitName[];
  const names = all.filter(
    (name) =>
      (!ctx.platform.isOneMachine || SHARED_LIMITS.includes(name)) && (!onlyCheap || CHEAP.includes(name)),
  );
  return inParallel(names, async (name) => ({ name, uses: await MEASURES[name](ctx, gauges) }));
}

const selectLargestIndexes = ({ db }: Context) =>
  db
    .select({
      id: pipelineIndexes.id,
      pipelineId: pipelineIndexes.pipelineId,
      shards: pipelineIndexes.shards,
      openShard: pipelineIndexes.openShard,
    })
    .from(pipelineIndexes)
    .where(ne(pipelineIndexes.state, 'retired'))
    .orderBy(desc(pipelineIndexes.shards), pipelineIndexes.id)
    .$dynamic();

/** Asks shards for the size of their databases. A shard that does not answer is left out. */
async function measureShards(ctx: Context): Promise<LimitUse[]> {
  const indexes = await selectLargestIndexes(ctx).limit(ASKED_INDEXES);
  const shards = indexes.flatMap(({ id, openShard }) =>
    [...new Set([0, openShard])].map((shard) => ({ id, shard })),
  );
  const answers = await Promise.allSettled(
    shards.map(async ({ id, shard }) => {
      const { bytes } = await ctx.objects.searchShard(id, shard).stats();
      return { used: bytes, part: `shard ${shard} of index ${id}` };
    }),
  );
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}

const sumValues = (gauges: Gauges, name: string): number =>
  gauges.reduce((sum, sample) => sum + (sample.name === name ? (sample.values[0] ?? 0) : 0), 0);
