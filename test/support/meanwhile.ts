import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createApp } from '#src/app.ts';
import { type Answer, answerOf, BASE } from './client.ts';

type Happening = () => Promise<unknown>;

/** Wraps a function so that it runs only once. */
function once(happens: Happening): Happening {
  let due = true;
  return async () => {
    if (!due) return;
    due = false;
    await happens();
  };
}

/** Returns the database, running `happens` before the first statement that matches. */
export function databaseWhere(matching: RegExp, happens: Happening): D1Database {
  const meanwhile = once(happens);
  const plain = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const proxy = new Proxy(statement, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (name === 'bind') return (...values: unknown[]) => wrap(target.bind(...values));
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          await meanwhile();
          return member.apply(target, given);
        };
      },
    });
    plain.set(proxy, statement);
    return proxy;
  };
  return new Proxy(env.DB, {
    get(target, name) {
      if (name === 'prepare') {
        return (text: string) => (matching.test(text) ? wrap(target.prepare(text)) : target.prepare(text));
      }
      if (name === 'batch') {
        return async (statements: D1PreparedStatement[]) => {
          if (statements.some((each) => plain.has(each))) await meanwhile();
          return target.batch(statements.map((each) => plain.get(each) ?? each));
        };
      }
      const member = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Returns the database with counters for prepared statements and the largest number of returned rows. */
export function countingDatabase(): { DB: D1Database; statements: number; mostRows: number } {
  const counts = { DB: env.DB, statements: 0, mostRows: 0 };
  const counted = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (name === 'bind') return (...values: unknown[]) => counted(target.bind(...values));
        if (name !== 'raw' && name !== 'all')
          return typeof member === 'function' ? member.bind(target) : member;
        return async (...given: unknown[]) => {
          const result = await member.apply(target, given);
          counts.mostRows = Math.max(counts.mostRows, (result.results ?? result).length);
          return result;
        };
      },
    });
  counts.DB = new Proxy(env.DB, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'prepare') return member.bind(target);
      return (text: string) => {
        counts.statements += 1;
        return /^select/.test(text) ? counted(target.prepare(text)) : target.prepare(text);
      };
    },
  });
  return counts;
}

/** Returns the bucket, running `happens` before the first call of a method. */
export function bucketWhere(method: 'get' | 'delete', happens: Happening): R2Bucket {
  const meanwhile = once(happens);
  return new Proxy(env.FILES, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        if (name === method) await meanwhile();
        return member.apply(target, given);
      };
    },
  });
}

/** Calls the service with other bindings. */
export async function callWith<Body = Record<string, never>>(
  bindings: { DB?: D1Database; FILES?: R2Bucket },
  method: string,
  path: string,
  init: { key?: string; body?: unknown; form?: Record<string, string | File> } = {},
): Promise<Answer<Body>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(init.form ?? {})) form.append(name, value as string);
  const request = new Request(`${BASE}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${init.key ?? String(env.BOOTSTRAP_API_KEY)}`,
      ...(init.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(init.form && { body: form }),
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
  });
  return answerOf(await createApp().fetch(request, { ...env, ...bindings }, createExecutionContext()));
}
