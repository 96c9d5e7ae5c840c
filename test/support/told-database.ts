import { env } from 'cloudflare:workers';

/** Returns the database and a list of the prepared statements. */
export function toldDatabase(): { DB: D1Database; statements: string[] } {
  const statements: string[] = [];
  const DB = new Proxy(env.DB, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (name !== 'prepare') return typeof member === 'function' ? member.bind(target) : member;
      return (text: string) => {
        statements.push(text);
        return target.prepare(text);
      };
    },
  });
  return { DB, statements };
}
