import { type Database, openDatabase } from '#src/db/client.ts';
import type { ApiScope, Role } from '#src/db/schema/index.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { createLogger, type Logger } from '#src/lib/log.ts';
import { flushMetrics, writePending } from '#src/metrics/flush.ts';
import { createModels, type Models } from '#src/models/models.ts';
import { createParser, type DocumentParser } from '#src/parse/client.ts';
import type { Bindings } from '#src/settings/env.ts';
import { readSettings, type Settings } from '#src/settings/settings.ts';
import { createSender, type Sender } from '#src/work/messages.ts';
import { createObjects, type Objects } from '#src/work/objects.ts';
import { createPlatform, type Platform } from './platform.ts';

/**
 * Dependencies that all services use. HTTP requests, queue consumers and Durable Objects create them in the
 * same way.
 */
export interface Context {
  readonly db: Database;
  readonly bucket: R2Bucket;
  readonly queues: Sender;
  readonly objects: Objects;
  readonly settings: Settings;
  readonly platform: Platform;
  readonly models: Models;
  /** Client of the parser Worker, which reads documents and renders their pages. */
  readonly parser: DocumentParser;
  readonly log: Logger;
  /**
   * Whether the caller is a LlamaCloud client that uses `/compat`. Webhooks are then sent in LlamaCloud's
   * format.
   */
  readonly asOriginal?: boolean;
  /** Registers a promise that may settle after the response is sent. */
  defer(work: Promise<unknown>): void;
  readonly metrics: {
    /** Schedules the storage of this isolate's metric counters for after the response. */
    flush(): void;
    /** Stores this isolate's metric counters immediately. */
    write(): Promise<boolean>;
  };
}

/** User or agent that sent a request, and the access rights of the API key. */
export interface Actor {
  userId: string;
  organizationId: string;
  /** Id of the API key. Null in a browser session that an identity provider opened, and with an OAuth token. */
  keyId: string | null;
  /** Id of the browser session. Absent if the request used an API key. */
  sessionId?: string;
  /** Id of the connected application. Absent unless the request used its OAuth access token. */
  applicationId?: string;
  /** Whether the user of the connected application may write, but did not grant the application that right. */
  mayGrantWriting?: boolean;
  /** Project to which the API key is limited. Null if the key can access all projects. */
  projectId: string | null;
  /** Whether the API key is limited to one organization, even if its user belongs to several. */
  organizationOnly: boolean;
  /**
   * Role of the user in `organizationId`, or a lower one if the scope of the API key does not include its rights.
   * Null if the user is no longer a member.
   */
  role: Role | null;
  /** Scope of the API key in all organizations, whatever the role of its user. */
  scope: ApiScope;
  /** Project for requests that name none. Undefined if it was not read together with the API key. */
  defaultProject?: { id: string; organizationId: string } | undefined;
  /** Expiry time of the browser session. Absent if the request used an API key. */
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
   * Only project in which resources can be read by id. Null allows all projects of the organizations that the
   * caller can access.
   */
  readonly onlyProjectId: string | null;
  /**
   * Only organization in which resources can be read by id. Null allows all organizations of which the caller
   * is a member.
   */
  readonly onlyOrganizationId: string | null;
  /** True if the request writes. Resources of organizations in which the user is a viewer are then hidden. */
  readonly isWriting?: boolean;
}

/**
 * Creates the dependencies of services. Every log line contains `facts`. A fact named `queue` shows that
 * queue messages are being processed.
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
    db: openDatabase(env.DB, env.SUPERVISED === 'true'),
    bucket: env.FILES,
    queues: createSender(env),
    objects,
    settings,
    platform: createPlatform(env),
    models: createModels(settings, env, log),
    parser: createParser(env.PARSER),
    log,
    defer,
    metrics: { flush: () => flushMetrics(counts, defer), write: () => writePending(counts) },
  };
}
