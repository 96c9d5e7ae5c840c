import { messageOf, rehydrated } from '#src/lib/errors.ts';
import { hasVectorize } from '#src/lib/has-vectorize.ts';
import { currentTrace, traceparentOf } from '#src/lib/trace.ts';
import type { MetricsOwner } from '#src/metrics/hand-over.ts';
import { count, observe } from '#src/metrics/meter.ts';
import type { Shard } from '#src/ports/shard.ts';
import type { Bindings } from '#src/settings/env.ts';
import type { ChatOwner } from './chat-owner.ts';
import type { Intake, JobOwner } from './job-owner.ts';
import type { LeftoverOwner } from './leftovers.ts';
import type { RetentionOwner } from './retention-owner.ts';
import type { SyncOwner } from './sync-owner.ts';
import type { TokenOwner } from './token-owner.ts';

/**
 * Names of all Durable Objects; nothing else calls idFromName. Callers receive plain interfaces, because the
 * platform's stub types lose unions and optional members.
 */
export interface Objects {
  /** One per pipeline. */
  pipelineSync(pipelineId: string): SyncOwner;
  /** Returns the same object as token cache of the pipeline's data sources. */
  pipelineTokens(pipelineId: string): TokenOwner;
  /** One per extract, classify or parse job, and per webhook test. */
  jobState(jobId: string): JobOwner;
  /** One per project. */
  jobIntake(projectId: string): Intake;
  /** Returns the same object, for what a deletion may leave behind. */
  leftovers(projectId: string): LeftoverOwner;
  /** One per answer of a chat. */
  chatStream(streamId: string): ChatOwner;
  /** One per shard of an index, 0-based. */
  searchShard(indexId: string, shard: number): Shard;
  /** Whether a Vectorize index is bound, to which shards copy their vectors. */
  readonly hasVectorCopies: boolean;
  /** Returns the one object of the installation that keeps metrics. */
  metricsKeeper(): MetricsOwner;
  /** Returns the same object as the schedule of retention. */
  retentionClock(): RetentionOwner;
}

type Kind = 'pipeline-sync' | 'job-state' | 'job-intake' | 'chat-stream' | 'search-shard';
type Method = (...args: unknown[]) => Promise<unknown>;

/** Restores the method types that the platform's stub type loses. */
function stubOf(namespace: DurableObjectNamespace): MetricsOwner & RetentionOwner {
  return namespace.get(namespace.idFromName('installation')) as unknown as MetricsOwner & RetentionOwner;
}

function stub<Methods>(kind: Kind, namespace: DurableObjectNamespace, name: string): Methods {
  return counted(kind, namespace.get(namespace.idFromName(name))) as Methods;
}

/**
 * Wraps a stub: calls are counted, continue the caller's trace, and rethrow domain errors with their class.
 */
function counted(object: Kind, stub: object): unknown {
  return new Proxy(stub, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        const start = Date.now();
        let outcome = 'failed';
        try {
          const answer = await traced(target, method as Method, String(name), args);
          outcome = 'ok';
          return answer;
        } catch (error) {
          throw rehydrated(error);
        } finally {
          count('sluice_object_calls_total', { object, method: String(name), outcome });
          observe('sluice_object_call_seconds', { object }, (Date.now() - start) / 1000);
        }
      };
    },
  });
}

/**
 * Calls a method in the caller's trace, through `as` of `traced-object.ts`. Calls it directly if there is no
 * trace, or if the object does not have `as`, for example while an older version of it runs.
 */
async function traced(target: object, method: Method, name: string, args: unknown[]): Promise<unknown> {
  const trace = currentTrace();
  const as: unknown = trace && Reflect.get(target, 'as');
  if (!trace || typeof as !== 'function') return Reflect.apply(method, target, args);
  try {
    return await Reflect.apply(as as Method, target, [traceparentOf(trace), name, args]);
  } catch (error) {
    if (!/does not implement the method "as"/.test(messageOf(error))) throw error;
    return Reflect.apply(method, target, args);
  }
}

export function createObjects(env: Bindings): Objects {
  return {
    pipelineSync: (pipelineId) => stub('pipeline-sync', env.PIPELINE_SYNC, pipelineId),
    pipelineTokens: (pipelineId) => stub('pipeline-sync', env.PIPELINE_SYNC, pipelineId),
    jobState: (jobId) => stub('job-state', env.JOB_STATE, jobId),
    jobIntake: (projectId) => stub('job-intake', env.JOB_INTAKE, projectId),
    leftovers: (projectId) => stub('job-intake', env.JOB_INTAKE, projectId),
    chatStream: (streamId) => stub('chat-stream', env.CHAT_STREAM, streamId),
    searchShard: (indexId, shard) => stub('search-shard', env.SEARCH_SHARD, `${indexId}/${shard}`),
    get hasVectorCopies() {
      return hasVectorize(env);
    },
    // Calls to the metrics object are not counted, because each reported count would cause another report.
    metricsKeeper: () => stubOf(env.METRICS_KEEPER),
    retentionClock: () => stubOf(env.METRICS_KEEPER),
  };
}
