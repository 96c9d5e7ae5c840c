import worker, * as service from '#src/index.ts';
import type { Bindings } from '#src/settings/env.ts';
import { meteredBucket } from './bucket.ts';
import { count, sum, taken } from './counts.ts';
import { meteredDatabase } from './database.ts';
import { heard } from './hear.ts';
import { meteredAlarm, meteredObjects, meterObject } from './objects.ts';
import type MeteredParser from './parser.ts';
import { meterBatch, meteredQueue } from './queues.ts';

const metered = new WeakMap<object, Bindings>();

function meteredEnv<Env extends Bindings>(env: Env): Env {
  const known = metered.get(env);
  if (known) return known as Env;
  const wrapped: Env = {
    ...env,
    DB: meteredDatabase(env.DB),
    FILES: meteredBucket(env.FILES),
    INGESTION_QUEUE: meteredQueue(env.INGESTION_QUEUE),
    INTERACTIVE_QUEUE: meteredQueue(env.INTERACTIVE_QUEUE),
    EXTRACT_QUEUE: meteredQueue(env.EXTRACT_QUEUE),
    CLASSIFY_QUEUE: meteredQueue(env.CLASSIFY_QUEUE),
    WEBHOOKS_QUEUE: meteredQueue(env.WEBHOOKS_QUEUE),
    DEAD_LETTER_QUEUE: meteredQueue(env.DEAD_LETTER_QUEUE),
    PARSER: heard(env.PARSER, (_, __, given) => {
      count('calls of Workers');
      return given;
    }),
    PIPELINE_SYNC: meteredObjects(env.PIPELINE_SYNC),
    JOB_STATE: meteredObjects(env.JOB_STATE),
    JOB_INTAKE: meteredObjects(env.JOB_INTAKE),
    CHAT_STREAM: meteredObjects(env.CHAT_STREAM),
    SEARCH_SHARD: meteredObjects(env.SEARCH_SHARD),
    METRICS_KEEPER: meteredObjects(env.METRICS_KEEPER, 'metrics requests'),
  };
  metered.set(env, wrapped);
  return wrapped;
}

function inside(state: DurableObjectState): DurableObjectState {
  meterObject(state);
  return state;
}

export class PipelineSync extends service.PipelineSync {
  constructor(state: DurableObjectState, env: Bindings) {
    super(inside(state), meteredEnv(env));
  }
  override alarm() {
    return meteredAlarm(this.ctx, () => super.alarm());
  }
}

export class JobState extends service.JobState {
  constructor(state: DurableObjectState, env: Bindings) {
    super(inside(state), meteredEnv(env));
  }
  override alarm() {
    return meteredAlarm(this.ctx, () => super.alarm());
  }
}

export class JobIntake extends service.JobIntake {
  constructor(state: DurableObjectState, env: Bindings) {
    super(inside(state), meteredEnv(env));
  }
  override alarm() {
    return meteredAlarm(this.ctx, () => super.alarm());
  }
}

export class ChatStream extends service.ChatStream {
  constructor(state: DurableObjectState, env: Bindings) {
    super(inside(state), meteredEnv(env));
  }
  override alarm() {
    return meteredAlarm(this.ctx, () => super.alarm());
  }
}

export class SearchShard extends service.SearchShard {
  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(inside(state), meteredEnv(env));
  }
  override alarm() {
    return meteredAlarm(this.ctx, () => super.alarm());
  }
}

export class MetricsKeeper extends service.MetricsKeeper {
  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    meterObject(state, 'metrics rows written');
    super(state, env);
  }
}

/**
 * Runs the real Worker and returns the platform operations since the last call at `/counts`. Entry points and
 * Durable Objects share an isolate and its counts in the local runtime. The parser is asked for its own
 * counts. Requests with the header `x-not-counted` are not counted.
 */
export default {
  async fetch(request: Request, env: Bindings, execution: ExecutionContext) {
    if (new URL(request.url).pathname === '/counts') {
      const parser = env.PARSER as unknown as Pick<MeteredParser, 'taken'>;
      return Response.json(sum(taken(), await parser.taken()));
    }
    if (request.headers.has('x-not-counted')) return worker.fetch(request, env, execution);
    count('Worker requests');
    return worker.fetch(request, meteredEnv(env), execution);
  },
  queue(batch: MessageBatch, env: Bindings, execution: ExecutionContext) {
    meterBatch(batch);
    return worker.queue(batch, meteredEnv(env), execution);
  },
};
