import type { Bindings } from '#src/env.ts';
import worker, { PipelineSync as Owner } from '#src/index.ts';

export * from '#src/index.ts';

/** What the service has asked of the platform since somebody last asked for it. */
let counts: Record<string, number> = {};
const count = (name: string, times = 1) => {
  counts[name] = (counts[name] ?? 0) + times;
};

type Method = (...args: unknown[]) => unknown;

/** The same object; `tell` hears of each call of a method and may put something else in place of what it gives. */
function heard<Of extends object>(target: Of, tell: (name: string, args: unknown[]) => void): Of {
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        tell(String(name), args);
        // What a stub gives has no methods of a function: each of its members is the other side's.
        return Reflect.apply(member as Method, target, args);
      };
    },
  });
}

const ASKING = new Set(['all', 'first', 'raw', 'run']);

function database(db: D1Database): D1Database {
  const statement = (of: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(of, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (ASKING.has(String(name))) count('D1 calls');
          const result = Reflect.apply(member as Method, target, args);
          return name === 'bind' ? statement(result as D1PreparedStatement) : result;
        };
      },
    });
  return new Proxy(db, {
    get(target, name) {
      if (name === 'prepare') return (query: string) => statement(target.prepare(query));
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) => {
          count('D1 calls');
          return target.batch(statements);
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member as Method).bind(target) : member;
    },
  });
}

function objects<Namespace extends DurableObjectNamespace>(namespace: Namespace): Namespace {
  return new Proxy(namespace, {
    get(target, name) {
      if (name === 'get') {
        return (id: DurableObjectId) => heard(target.get(id), () => count('calls of objects'));
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member as Method).bind(target) : member;
    },
  });
}

const counted = new WeakMap<object, Bindings>();

function countedEnv(env: Bindings): Bindings {
  const known = counted.get(env);
  if (known) return known;
  const { DB, FILES, INGESTION_QUEUE, PARSER, PIPELINE_SYNC, SEARCH_SHARD } = env;
  const wrapped: Bindings = {
    ...env,
    DB: database(DB),
    FILES: heard(FILES, () => count('R2 calls')),
    INGESTION_QUEUE: heard(INGESTION_QUEUE, (name, args) =>
      count('messages', name === 'sendBatch' ? (args[0] as unknown[]).length : 1),
    ),
    PARSER: heard(PARSER, () => count('calls of the parser')),
    PIPELINE_SYNC: objects(PIPELINE_SYNC),
    SEARCH_SHARD: objects(SEARCH_SHARD),
  };
  counted.set(env, wrapped);
  return wrapped;
}

export class PipelineSync extends Owner {
  constructor(state: DurableObjectState, env: Bindings) {
    super(state, countedEnv(env));
  }
}

/** The real Worker, which tells at `/counts` what its syncs have asked of the platform. */
export default {
  fetch(request: Request, env: Bindings, execution: ExecutionContext) {
    if (new URL(request.url).pathname !== '/counts') return worker.fetch(request, env, execution);
    const told = counts;
    counts = {};
    return Response.json(told);
  },
  queue: (batch: MessageBatch, env: Bindings, execution: ExecutionContext) =>
    worker.queue(batch, countedEnv(env), execution),
};
