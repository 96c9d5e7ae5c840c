import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import type { CheckStep } from '#src/services/operating/check.ts';
import { readGauges } from '#src/services/operating/gauges.ts';
import { computeShare, reportUse } from '#src/services/operating/platform-limits/limit.ts';
import { measureLimits } from '#src/services/operating/platform-limits/measure.ts';
import {
  CLOUDFLARE_LIMITS,
  type CloudflareLimitName,
} from '#src/services/operating/platform-limits/registry.ts';
import { checkLimits } from '#src/services/operating/platform-limits/report.ts';
import { call } from '#test/support/client.ts';
import { emptyService } from '#test/support/empty-service.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const FOUR_DAYS_MS = 4 * 86_400_000;
const ctx = createContext(env, createExecutionContext());

const check = (context: Context = ctx) => checkLimits(context, { fix: false, page_size: 100 });
const onPlatform = (changes: Partial<Context['platform']>): Context => ({
  ...ctx,
  platform: { ...ctx.platform, isOneMachine: false, ...changes },
});

beforeEach(emptyService);

describe('the check of limits', () => {
  it('measures every limit, and finds none reached in a new installation', async () => {
    const measured = await measureLimits(ctx, await readGauges(ctx));
    expect(measured.map(({ name }) => name)).toEqual(Object.keys(CLOUDFLARE_LIMITS));
    const shares = new Map(
      measured.map(({ name, uses }) => [name, uses.map((use) => computeShare(CLOUDFLARE_LIMITS[name], use))]),
    );
    for (const name of ['database_size', 'table_columns', 'variables'] as CloudflareLimitName[]) {
      expect(Math.max(...shares.get(name)!), name).toBeGreaterThan(0);
    }
    expect(
      (await call<CheckStep>('POST', '/api/v1/admin/checks', { body: { check: 'limits' } })).body,
    ).toEqual({ examined: measured.length, findings: [], next_page_token: null });
  });

  it('warns of an index with too many shards, and of work that waits longer than messages live', async () => {
    const pipelineId = await createPipeline();
    const shards = Math.ceil(0.7 * CLOUDFLARE_LIMITS.index_shards.value);
    await env.DB.prepare(
      `insert into pipeline_indexes (id, pipeline_id, config_hash, state, shards) values ('large', ?, '', 'live', ?)`,
    )
      .bind(pipelineId, shards)
      .run();
    const { projectId } = await createTenant();
    await env.DB.prepare(
      `insert into parse_jobs (id, project_id, user_id, status, file_input, document_input_type, configuration, created_at)
       values ('pjb-waiting', ?, 'somebody', 'RUNNING', 'a.pdf', 'file_id', '{}', ?)`,
    )
      .bind(projectId, Date.now() - FOUR_DAYS_MS)
      .run();
    const { findings } = await check();
    expect(findings.map(({ level, place }) => [level, place])).toEqual([
      ['warn', 'index_shards'],
      ['fail', 'queue_retention'],
    ]);
    expect(findings[0]!.message).toContain(`${shards} of 483 (70 %)`);
    expect(findings[0]!.message).toContain(pipelineId);
    expect(findings[1]!.message).toContain('of parse: 96.0 hours of 96.0 hours (100 %)');
  });

  it('counts variables and vectors of the platform', async () => {
    const variableSizes = new Map([
      ['LLM_MODELS', 4_800],
      ...Array.from({ length: 100 }, (_, n) => [`MODEL_${n}`, 20] as const),
    ]);
    const context = onPlatform({
      variableSizes,
      countVectors: async () =>
        new Map([
          ['VECTORIZE_384', 6_999_999],
          ['VECTORIZE_768', 7_000_000],
        ]),
    });
    const { findings } = await check(context);
    expect(findings.map(({ level, place }) => [level, place])).toEqual([
      ['warn', 'vectorize_vectors'],
      ['warn', 'variables'],
      ['fail', 'variable_size'],
    ]);
    expect(findings[0]!.message).toContain('VECTORIZE_768');
    expect(findings[2]!.message).toContain('LLM_MODELS');
  });

  it('leaves out the limits of Cloudflare on a single machine', async () => {
    const context = onPlatform({ isOneMachine: true });
    const measured = await measureLimits(context, await readGauges(context));
    expect(measured.map(({ name }) => name)).toEqual(['index_shards']);
  });

  it('begins to warn at 70 % and to fail at 95 %', () => {
    const limit = CLOUDFLARE_LIMITS.database_size;
    const level = (used: number) => reportUse('database_size', limit, { used })[0]?.level;
    expect([6_999_999_999, 7_000_000_000, 9_499_999_999, 9_500_000_000].map(level)).toEqual([
      undefined,
      'warn',
      'warn',
      'fail',
    ]);
    expect(reportUse('database_size', limit, { used: 7_120_000_000 })[0]?.message).toContain(
      'Size of the D1 database: 7.12 GB of 10 GB (71 %).',
    );
  });
});
