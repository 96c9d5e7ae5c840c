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

/** What every service takes first. Built the same way for requests, queue consumers and objects. */
export interface Context {
  readonly db: Database;
  readonly bucket: R2Bucket;
  readonly queues: Sender;
  readonly objects: Objects;
  readonly settings: Settings;
  readonly models: Models;
  /** Reads and draws documents. */
  readonly parser: DocumentParser;
  readonly log: Logger;
  /** Whoever asks is a client of the hosted original: webhooks of what is made for it are sent as that sends them. */
  readonly asOriginal?: boolean;
  /** Work that may finish after the answer has been sent. */
  defer(work: Promise<unknown>): void;
  readonly metrics: {
    /** Has what this isolate has counted kept, after the answer. */
    handOver(): void;
    /** Has it kept now. */
    write(): Promise<boolean>;
  };
}

/** Who asks, and how far that reaches. */
export interface Actor {
  userId: string;
  organizationId: string;
  keyId: string;
  /** Set when the key reaches one project only. */
  projectId: string | null;
  /** The key reaches its own organization only, whatever others its user is a member of. */
  organizationOnly: boolean;
  /** The project that requests act in which name none, where it was read together with the key. */
  home?: { id: string; organizationId: string } | undefined;
  /** When the session ends that the request came with; absent for a key. */
  signedInUntil?: Date;
}

/** A request inside a tenant: what is created or listed belongs to `projectId`. */
export interface TenantContext extends Context {
  readonly actor: Actor;
  readonly organizationId: string;
  readonly projectId: string;
  /** Reads by id stay within this project; null: any project of the organizations that the caller reaches. */
  readonly onlyProjectId: string | null;
  /** Reads by id stay within this organization; null: any one that the caller is a member of. */
  readonly onlyOrganizationId: string | null;
}

/** `facts` are in each line of the log; `queue` among them says that a batch of a queue is worked on. */
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
