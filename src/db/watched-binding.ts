import { beginWrite } from './reads-until-write.ts';

const READ = /^\s*select\b/i;
const WRITE_TO_TABLE = /^\s*(?:insert\s+into|update)\s+"?(\w+)"?/i;

/** Returns whether a statement may change what a kept read has found. Everything but a plain SELECT counts as a write. */
const mayChangeReads = (statement: string) => !READ.test(statement);

/**
 * Returns the only table whose rows a statement changes, apart from tables that triggers write to. Returns `undefined`
 * if there may be several: a DELETE also deletes the rows that refer to the deleted ones.
 */
function getWrittenTable(statement: string): string | undefined {
  const [, table] = WRITE_TO_TABLE.exec(statement) ?? [];
  // The statement `update or replace` deletes rows that conflict with the changed ones.
  return table?.toLowerCase() === 'or' ? undefined : table;
}

const RUNNING_METHODS = new Set(['run', 'all', 'first', 'raw']);

interface Original {
  statement: D1PreparedStatement;
  /** Table that the statement writes to, as `getWrittenTable` returns it. */
  table: string | undefined;
}

/** Original statements by their watched ones. */
const originals = new WeakMap<object, Original>();

/** Wraps a D1 binding so that `readUntilWrite` learns of each write that this isolate sends. */
export function watchWrites(binding: D1Database): D1Database {
  return new Proxy(binding, {
    get(target, name) {
      if (name === 'prepare') {
        return (statement: string) => {
          const prepared = target.prepare(statement);
          return mayChangeReads(statement) ? watchStatement(prepared, getWrittenTable(statement)) : prepared;
        };
      }
      if (name === 'withSession') {
        return () => {
          throw new Error('Writes of D1 sessions are not watched.');
        };
      }
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) => {
          const plain = statements.map((each) => originals.get(each)?.statement ?? each);
          const writes = statements.flatMap((each) => originals.get(each) ?? []);
          const send = () => target.batch(plain);
          return writes.length > 0 ? markWrite(getTables(writes), send) : send();
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      // The other methods run statements that are not examined.
      return (...args: unknown[]) =>
        markWrite(undefined, () => Reflect.apply(member, target, args) as Promise<unknown>);
    },
  });
}

function watchStatement(statement: D1PreparedStatement, table: string | undefined): D1PreparedStatement {
  const watched = new Proxy(statement, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
      if (name === 'bind')
        return (...values: unknown[]) => watchStatement(call(...values) as D1PreparedStatement, table);
      if (RUNNING_METHODS.has(String(name))) {
        const tables = table === undefined ? undefined : [table];
        return (...args: unknown[]) => markWrite(tables, () => call(...args) as Promise<unknown>);
      }
      return call;
    },
  });
  originals.set(watched, { statement, table });
  return watched;
}

/** Returns the tables that a batch writes to, or `undefined` if a statement may write to several tables. */
function getTables(writes: readonly Original[]): string[] | undefined {
  const tables = writes.flatMap(({ table }) => table ?? []);
  return tables.length === writes.length ? tables : undefined;
}

async function markWrite<Result>(
  tables: readonly string[] | undefined,
  send: () => Promise<Result>,
): Promise<Result> {
  const end = beginWrite(tables);
  try {
    return await send();
  } finally {
    end();
  }
}
