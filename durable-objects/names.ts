import type { Bindings } from '#src/env.ts';
import { rehydrated } from '#src/errors.ts';
import type { Shard } from '#src/search/shard.ts';
import type { ChatOwner } from '#src/work/chat-owner.ts';
import type { Intake, JobOwner } from '#src/work/job-owner.ts';
import type { SyncOwner } from '#src/work/sync-owner.ts';
import type { TokenOwner } from '#src/work/token-owner.ts';

/**
 * How each object is named: the only idFromName calls. Callers get the object's methods as a plain
 * interface; the platform's own stub types lose information about unions and optional members.
 */
export interface Objects {
  /** One per pipeline. */
  pipelineSync(pipelineId: string): SyncOwner;
  /** The same object, for those who read the pipeline's data sources. */
  pipelineTokens(pipelineId: string): TokenOwner;
  /** One per extract, classify or parse job, and per webhook test. */
  jobState(jobId: string): JobOwner;
  /** One per project. */
  jobIntake(projectId: string): Intake;
  /** One per answer of a chat. */
  chatStream(streamId: string): ChatOwner;
  /** One per shard of an index, 0-based. */
  searchShard(indexId: string, shard: number): Shard;
}

function stub<Methods>(namespace: DurableObjectNamespace, name: string): Methods {
  return withDomainErrors(namespace.get(namespace.idFromName(name))) as Methods;
}

/** The same methods; a domain error that one of them throws arrives as what it was thrown as. */
function withDomainErrors(stub: object): unknown {
  return new Proxy(stub, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        try {
          return await Reflect.apply(method, target, args);
        } catch (error) {
          throw rehydrated(error);
        }
      };
    },
  });
}

export function createObjects(env: Bindings): Objects {
  return {
    pipelineSync: (pipelineId) => stub(env.PIPELINE_SYNC, pipelineId),
    pipelineTokens: (pipelineId) => stub(env.PIPELINE_SYNC, pipelineId),
    jobState: (jobId) => stub(env.JOB_STATE, jobId),
    jobIntake: (projectId) => stub(env.JOB_INTAKE, projectId),
    chatStream: (streamId) => stub(env.CHAT_STREAM, streamId),
    searchShard: (indexId, shard) => stub(env.SEARCH_SHARD, `${indexId}/${shard}`),
  };
}
