import { type Database, openDatabase } from '#src/db/client.ts';
import { messageOf } from '#src/lib/errors.ts';
import { createLogger, type Logger } from '#src/lib/log.ts';
import { handOver, writePending } from '#src/metrics/hand-over.ts';
import { createModels, type Models } from '#src/models/models.ts';
import { createParser, type DocumentParser } from '#src/parse/client.ts';
import type { Bindings } from '#src/settings/env.ts';
import { type Settings, settingsOf } from '#src/settings/settings.ts';
import { createSender, type Sender } from '#src/work/messages.ts';
import { createObjects, type Objects } from '#src/work/objects.ts';

/**
 * Dependencies of every service. They are built in the same way for requests, queue consumers and Durable
 * Objects.
 */
export interface Context {
  readonly db: Database;
  readonly bucket: R2Bucket;
  readonly queues: Sender;
  readonly objects: Objects;
  readonly settings: Settings;
  readonly models: Models;
  /** Client of the parser Worker, which reads and draws documents. */
  readonly parser: DocumentParser;
  readonly log: Logger;
  /** Whether the caller is a client of the hosted original. Its webhooks then have the original's format. */
  readonly asOriginal?: boolean;
  /** Registers work that may finish after the response has been sent. */
  defer(work: Promise<unknown>): void;
  readonly metrics: {
    /** Schedules writing the counters of this isolate after the response. */
    handOver(): void;
    /** Writes the counters immediately. */
    write(): Promise<boolean>;
  };
}

/** Authenticated caller and what it can access. */
export interface Actor {
  userId: string;
  organizationId: string;
  keyId: string;
  /** Project to which the key is limited, or null. */
  projectId: string | null;
  /** Whether the key is limited to its own organization, even if its user is a member of others. */
  organizationOnly: boolean;
  /** Default project of requests that name none, if it was read together with the key. */
  home?: { id: string; organizationId: string } | undefined;
  /** End of the session with which the request was authenticated. Absent for API keys. */
  signedInUntil?: Date;
}

/** A request within a tenant. Created and listed resources belong to `projectId`. */
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

/** Creates a context. Every log line contains `facts`; the fact `queue` marks work on a batch of a queue. */
export function createContext(
  env: Bindings,
  execution: Pick<ExecutionContext, 'waitUntil'>,
  facts: Record<string, unknown> = {},
): Context {
  const settings = settingsOf(env);
  const log = createLogger(facts, settings.LOG_LEVEL);
  const objects = createObjects(env);
  const defer = (work: Promise<unknown>) =>
    execution.waitUntil(
      work.catch((error) => log.error('deferred work failed', { error: messageOf(error) })),
    );
  const counts = {
    keeper: objects.metricsKeeper,
    analytics: env.ANALYTICS,
    log,
    everySeconds: settings.METRICS_SECONDS,
    mayWait: !('queue' in facts),
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
    metrics: { handOver: () => handOver(counts, defer), write: () => writePending(counts) },
  };
}
