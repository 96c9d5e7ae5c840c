import type { Context } from '#src/context/context.ts';
import type { DataSource } from '#src/db/schema/index.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { openComponent } from '#src/services/connections/data-sources.ts';
import { openSource } from '#src/sources/registry.ts';
import type { OpenedSource } from '#src/sources/shared/open.ts';
import { getUsableUntil, type Token, type Tokens } from '#src/upstream/tokens.ts';
import type { TokenOwner } from '#src/work/token-owner.ts';

const RETRY_MS = 200;

export interface PipelineRun {
  pipelineId: string;
  jobId: string;
}

interface CachedSource {
  opened: OpenedSource;
  jobId: string;
  sourceType: string;
  /**
   * Stored settings of the data source as JSON. The text changes with every update, because secrets are
   * encrypted again.
   */
  component: string;
  limits: Context['settings'];
  usedAt: number;
}

const MAX_CACHED = 32;
const IDLE_MS = 10 * 60_000;

/** Open data sources by pipeline and data source. The least recently used one comes first. */
const cachedSources = new Map<string, CachedSource>();

/**
 * Returns an open data source, which an isolate reuses for all files of a sync run. It is opened again for
 * another run or after its settings changed. Throws SourceError if its type has no driver.
 */
export async function getOpenSource(
  ctx: Context,
  run: PipelineRun,
  dataSource: DataSource,
): Promise<OpenedSource> {
  const key = `${run.pipelineId}/${dataSource.id}`;
  const now = Date.now();
  for (const [other, { usedAt }] of cachedSources) if (now - usedAt > IDLE_MS) cachedSources.delete(other);
  const component = JSON.stringify(dataSource.component);
  const facts = { jobId: run.jobId, sourceType: dataSource.sourceType, component, limits: ctx.settings };
  const known = cachedSources.get(key);
  cachedSources.delete(key);
  const isSame =
    known &&
    known.jobId === facts.jobId &&
    known.sourceType === facts.sourceType &&
    known.component === component &&
    known.limits === facts.limits;
  const opened = isSame ? known.opened : await open(ctx, run.pipelineId, dataSource);
  cachedSources.set(key, { ...facts, opened, usedAt: now });
  if (cachedSources.size > MAX_CACHED) cachedSources.delete(cachedSources.keys().next().value!);
  return opened;
}

async function open(ctx: Context, pipelineId: string, dataSource: DataSource): Promise<OpenedSource> {
  const { id: dataSourceId, sourceType, component } = dataSource;
  const fingerprint = await configHash({ sourceType, component });
  // A stub of a Durable Object is only valid within one request, so each call creates a new stub.
  const owner = () => ctx.objects.pipelineTokens(pipelineId);
  return openSource(sourceType, await openComponent(ctx, dataSource), {
    tokens: createSharedTokens(owner, { dataSourceId, fingerprint }),
    log: ctx.log,
    limits: ctx.settings,
  });
}

/**
 * Returns the token cache of the pipeline's Durable Object, which all consumers share. One consumer fetches a
 * new token while the others wait.
 */
export function createSharedTokens(
  owner: () => TokenOwner,
  shared: { dataSourceId: string; fingerprint: string },
): Tokens {
  /**
   * Access tokens that this isolate has received. They save a call to the Durable Object for each request.
   */
  const seen = new Map<string, { token: string; until: number }>();

  async function fetchNew(name: string, lease: string, refresh: () => Promise<Token>): Promise<string> {
    const key = { ...shared, name };
    try {
      const { token, expiresAt } = await refresh();
      const until = getUsableUntil(expiresAt, Date.now());
      await owner().keepToken(key, lease, token, until);
      seen.set(name, { token, until });
      return token;
    } catch (error) {
      // Giving up the lease lets other consumers fetch the token at once, without waiting until the lease
      // expires.
      await owner()
        .abandonToken(key, lease)
        .catch(() => {});
      throw error;
    }
  }

  return {
    async get(name, refresh) {
      const known = seen.get(name);
      if (known && known.until > Date.now()) return known.token;
      for (;;) {
        const grant = await owner().takeToken({ ...shared, name });
        if (grant.state === 'refresh') return fetchNew(name, grant.lease, refresh);
        if (grant.state === 'fresh') {
          seen.set(name, grant);
          return grant.token;
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    },
    async drop(name, token) {
      if (seen.get(name)?.token === token) seen.delete(name);
      await owner().dropToken({ ...shared, name }, token);
    },
  };
}
