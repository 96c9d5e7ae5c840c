import { beginWrite } from './reads-until-write.ts';

/**
 * Tables on which no kept read depends, directly or through a foreign key. Every retrieval adds to a counter in one of
 * them. Otherwise each retrieval would discard what others have read.
 */
const UNREAD_TABLES = new Set(['daily_activity']);

const INSERT = /^\s*insert\s+into\s+"?(\w+)"?/i;
const READ = /^\s*select\b/i;

/** Returns whether a statement may change what a kept read has found. Everything but a plain SELECT counts as a write. */
function mayChangeReads(statement: string): boolean {
  if (READ.test(statement)) return false;
  const [, table] = INSERT.exec(statement) ?? [];
  return table === undefined || !UNREAD_TABLES.has(table);
}

const RUNNING_METHODS = new Set(['run', 'all', 'first', 'raw']);

/** Original statements by their watched ones. */
const originals = new WeakMap<object, D1PreparedStatement>();

/** Wraps a D1 binding so that `readUntilWrite` learns of each write that this isolate sends. */
export function watchWrites(binding: D1Database): D1Database {
  return new Proxy(binding, {
    get(target, name) {
      if (name === 'prepare') {
        return (statement: string) => {
          const prepared = target.prepare(statement);
          return mayChangeReads(statement) ? watchStatement(prepared) : prepared;
        };
      }
      if (name === 'withSession') {
        return () => {
          throw new Error('Writes of D1 sessions are not watched.');
        };
      }
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) => {
          const plain = statements.map((each) => originals.get(each) ?? each);
          const send = () => target.batch(plain);
          return statements.some((each) => originals.has(each)) ? markWrite(send) : send();
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      // The other methods run statements that are not examined.
      return (...args: unknown[]) => markWrite(() => Reflect.apply(member, target, args) as Promise<unknown>);
    },
  });
}

function watchStatement(statement: D1PreparedStatement): D1PreparedStatement {
  const watched = new Proxy(statement, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
      if (name === 'bind')
        return (...values: unknown[]) => watchStatement(call(...values) as D1PreparedStatement);
      if (RUNNING_METHODS.has(String(name))) {
        return (...args: unknown[]) => markWrite(() => call(...args) as Promise<unknown>);
      }
      return call;
    },
  });
  originals.set(watched, statement);
  return watched;
}

async function markWrite<Result>(send: () => Promise<Result>): Promise<Result> {
  const end = beginWrite();
  try {
    return await send();
  } finally {
    end();
  }
}
