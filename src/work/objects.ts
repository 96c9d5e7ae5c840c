import { getErrorMessage, restoreErrorClass } from '#src/lib/errors.ts';
import { hasVectorize } from '#src/lib/has-vectorize.ts';
import { currentTrace, formatTraceparent } from '#src/lib/trace.ts';
import type { MetricsOwner } from '#src/metrics/flush.ts';
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
 * Access to all Durable Objects of the installation. No other module calls idFromName. Callers receive plain
 * interfaces, because Cloudflare's types of stubs lose unions and optional fields.
 */
export interface Objects {
  /** Owner of a pipeline's sync runs. There is one per pipeline. */
  pipelineSync(pipelineId: string): SyncOwner;
  /**
   * Token cache of the pipeline's data sources. It is in the same Durable Object as the pipeline's sync runs.
   */
  pipelineTokens(pipelineId: string): TokenOwner;
  /** Owner of a job. There is one per extract, classify or parse job, and one per webhook test. */
  jobState(jobId: string): JobOwner;
  /** Intake of a project's jobs. There is one per project. */
  jobIntake(projectId: string): Intake;
  /**
   * Schedule that deletes objects left over from deletions. It is in the same Durable Object as the job
   * intake.
   */
  leftovers(projectId: string): LeftoverOwner;
  /** Owner of a chat answer. There is one per answer. */
  chatStream(streamId: string): ChatOwner;
  searchShard(indexId: string, shard: number): Shard;
  /** True if the Worker has a Vectorize binding. Shards then copy their vectors to that Vectorize index. */
  readonly hasVectorCopies: boolean;
  /** Durable Object that collects metrics. There is one per installation. */
  metricsKeeper(): MetricsOwner;
  /** Schedule of data retention. It is in the same Durable Object as the metrics. */
  retentionClock(): RetentionOwner;
}

type Kind = 'pipeline-sync' | 'job-state' | 'job-intake' | 'chat-stream' | 'search-shard';
type Method = (...args: unknown[]) => Promise<unknown>;

/**
 * Returns the stub of the installation's Durable Object. The type is converted, because Cloudflare's type of
 * stubs loses the types of some methods.
 */
function getInstallationStub(namespace: DurableObjectNamespace): MetricsOwner & RetentionOwner {
  return namespace.get(namespace.idFromName('installation')) as unknown as MetricsOwner & RetentionOwner;
}

function stub<Methods>(kind: Kind, namespace: DurableObjectNamespace, name: string): Methods {
  return countCalls(kind, namespace.get(namespace.idFromName(name))) as Methods;
}

/**
 * Wraps the stub of a Durable Object. Calls through the wrapper are counted, continue the caller's trace, and
 * rethrow domain errors with their class.
 */
function countCalls(object: Kind, stub: object): unknown {
  return new Proxy(stub, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        const start = Date.now();
        let outcome = 'failed';
        try {
          const answer = await callTraced(target, method as Method, String(name), args);
          outcome = 'ok';
          return answer;
        } catch (error) {
          throw restoreErrorClass(error);
        } finally {
          count('sluice_object_calls_total', { object, method: String(name), outcome });
          observe('sluice_object_call_seconds', { object }, (Date.now() - start) / 1000);
        }
      };
    },
  });
}

/**
 * Calls a method of a Durable Object within the caller's trace, through the method `as` of
 * `traced-object.ts`. If there is no trace, the method is called directly. The same applies if the object has
 * no method `as`, for example because it runs an older version.
 */
async function callTraced(target: object, method: Method, name: string, args: unknown[]): Promise<unknown> {
  const trace = currentTrace();
  const as: unknown = trace && Reflect.get(target, 'as');
  if (!trace || typeof as !== 'function') return Reflect.apply(method, target, args);
  try {
    return await Reflect.apply(as as Method, target, [formatTraceparent(trace), name, args]);
  } catch (error) {
    if (!/does not implement the method "as"/.test(getErrorMessage(error))) throw error;
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
    // Calls of the metrics object are not counted, because reporting each count would cause another call.
    metricsKeeper: () => getInstallationStub(env.METRICS_KEEPER),
    retentionClock: () => getInstallationStub(env.METRICS_KEEPER),
  };
}
