import type { Context } from '#src/context/context.ts';
import type { DataSource } from '#src/db/schema/index.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { openComponent } from '#src/services/connections/data-sources.ts';
import { openSource } from '#src/sources/registry.ts';
import type { OpenedSource } from '#src/sources/shared/open.ts';
import { freshUntil, type Token, type Tokens } from '#src/upstream/tokens.ts';
import type { TokenOwner } from '#src/work/token-owner.ts';

const ASK_AGAIN_MS = 200;

export interface RunOfPipeline {
  pipelineId: string;
  jobId: string;
}

interface Kept {
  opened: OpenedSource;
  jobId: string;
  sourceType: string;
  /** Stored component. Its text changes whenever it is written, because secrets are sealed again. */
  component: string;
  limits: Context['settings'];
  usedAt: number;
}

/** Maximum number of sources that one isolate keeps open. */
const MOST = 32;
const IDLE_MS = 10 * 60_000;

/** Open sources by pipeline and data source, least recently used first. */
const kept = new Map<string, Kept>();

/**
 * Opens a data source for reading. It is reused for all files of a run in this isolate, so that secrets are
 * opened, regions looked up and tokens fetched once. A changed component or another run opens it again.
 * Rejects with SourceError if there is no reader for its kind.
 */
export async function openedSource(
  ctx: Context,
  run: RunOfPipeline,
  dataSource: DataSource,
): Promise<OpenedSource> {
  const key = `${run.pipelineId}/${dataSource.id}`;
  const now = Date.now();
  for (const [other, { usedAt }] of kept) if (now - usedAt > IDLE_MS) kept.delete(other);
  const component = JSON.stringify(dataSource.component);
  const facts = { jobId: run.jobId, sourceType: dataSource.sourceType, component, limits: ctx.settings };
  const known = kept.get(key);
  // Inserted again, to become the most recently used.
  kept.delete(key);
  const isSame =
    known &&
    known.jobId === facts.jobId &&
    known.sourceType === facts.sourceType &&
    known.component === component &&
    known.limits === facts.limits;
  const opened = isSame ? known.opened : await open(ctx, run.pipelineId, dataSource);
  kept.set(key, { ...facts, opened, usedAt: now });
  if (kept.size > MOST) kept.delete(kept.keys().next().value!);
  return opened;
}

async function open(ctx: Context, pipelineId: string, dataSource: DataSource): Promise<OpenedSource> {
  const { id: dataSourceId, sourceType, component } = dataSource;
  const fingerprint = await configHash({ sourceType, component });
  // Requested with each call, because a stub of one request cannot be used in another.
  const owner = () => ctx.objects.pipelineTokens(pipelineId);
  return openSource(sourceType, await openComponent(ctx, dataSource), {
    tokens: keptTokens(owner, { dataSourceId, fingerprint }),
    log: ctx.log,
    limits: ctx.settings,
  });
}

/**
 * Returns the token cache of a pipeline's owner, which all consumers share: one fetches a token, and the
 * others wait for it. `owner` returns a stub of the current request.
 */
export function keptTokens(
  owner: () => TokenOwner,
  of: { dataSourceId: string; fingerprint: string },
): Tokens {
  /** Tokens that this isolate has seen, to save a call for each request. */
  const seen = new Map<string, { token: string; until: number }>();

  async function fetchNew(name: string, lease: string, refresh: () => Promise<Token>): Promise<string> {
    const key = { ...of, name };
    try {
      const { token, expiresAt } = await refresh();
      const until = freshUntil(expiresAt, Date.now());
      await owner().keepToken(key, lease, token, until);
      seen.set(name, { token, until });
      return token;
    } catch (error) {
      // Otherwise the other consumers would wait until the lease expires.
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
        const grant = await owner().takeToken({ ...of, name });
        if (grant.state === 'refresh') return fetchNew(name, grant.lease, refresh);
        if (grant.state === 'fresh') {
          seen.set(name, grant);
          return grant.token;
        }
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      }
    },
    async drop(name, token) {
      if (seen.get(name)?.token === token) seen.delete(name);
      await owner().dropToken({ ...of, name }, token);
    },
  };
}
