import { type Database, openDatabase } from '#src/db/client.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { createLogger, type Logger } from '#src/lib/log.ts';
import { flushMetrics, writePending } from '#src/metrics/flush.ts';
import { createModels, type Models } from '#src/models/models.ts';
import { createParser, type DocumentParser } from '#src/parse/client.ts';
import type { Bindings } from '#src/settings/env.ts';
import { readSettings, type Settings } from '#src/settings/settings.ts';
import { createSender, type Sender } from '#src/work/messages.ts';
import { createObjects, type Objects } from '#src/work/objects.ts';

/**
 * Dependencies of every service. Requests, queue consumers and Durable Objects create them in the same way.
 */
export interface Context {
  readonly db: Database;
  readonly bucket: R2Bucket;
  readonly queues: Sender;
  readonly objects: Objects;
  readonly settings: Settings;
  readonly models: Models;
  /** Client of the parser Worker, which reads documents and renders their pages. */
  readonly parser: DocumentParser;
  readonly log: Logger;
  /**
   * Whether the caller is a LlamaCloud client that uses `/compat`. Webhooks are then sent in LlamaCloud's
   * format.
   */
  readonly asOriginal?: boolean;
  /** Registers work that may finish after the response is sent. */
  defer(work: Promise<unknown>): void;
  readonly metrics: {
    /** Schedules writing this isolate's metric counters after the response. */
    flush(): void;
    /** Writes this isolate's metric counters immediately. */
    write(): Promise<boolean>;
  };
}

/** Authenticated caller and the access rights of its key. */
export interface Actor {
  userId: string;
  organizationId: string;
  keyId: string;
  /** Project to which the key is limited. Null if the key can access all projects. */
  projectId: string | null;
  /** Whether the key is limited to its own organization, even if its user is a member of others. */
  organizationOnly: boolean;
  /** Project used for requests that name no project, if it was read together with the key. */
  defaultProject?: { id: string; organizationId: string } | undefined;
  /** Time at which the session of the request ends. Absent if the request used an API key. */
  signedInUntil?: Date;
}

/**
 * Context of a request by an authenticated caller. `projectId` is the project in which resources are created
 * and listed.
 */
export interface TenantContext extends Context {
  readonly actor: Actor;
  readonly organizationId: string;
  readonly projectId: string;
  /**
   * Project to which reads by id are limited. Null allows any project of the organizations that the caller
   * can access.
   */
  readonly onlyProjectId: string | null;
  /**
   * Organization to which reads by id are limited. Null allows every organization of which the caller is a
   * member.
   */
  readonly onlyOrganizationId: string | null;
}

/**
 * Creates a context. Every log line contains `facts`. A fact named `queue` marks the processing of a batch of
 * queue messages.
 */
export function createContext(
  env: Bindings,
  execution: Pick<ExecutionContext, 'waitUntil'>,
  facts: Record<string, unknown> = {},
): Context {
  const settings = readSettings(env);
  const log = createLogger(facts, settings.LOG_LEVEL);
  const objects = createObjects(env);
  const defer = (work: Promise<unknown>) =>
    execution.waitUntil(
      work.catch((error) => log.error('deferred work failed', { error: getErrorMessage(error) })),
    );
  const counts = {
    keeper: objects.metricsKeeper,
    analytics: env.ANALYTICS,
    log,
    intervalSeconds: settings.METRICS_SECONDS,
    canWait: !('queue' in facts),
  };
  return {
    db: openDatabase(env.DB),
    bucket: env.FILES,
    queues: createSender(env),
    objects,
    settings,
    models: createModels(settings, env, log),
    parser: createParser(env.PARSER),
    log,
    defer,
    metrics: { flush: () => flushMetrics(counts, defer), write: () => writePending(counts) },
  };
}
