import { drizzle } from 'drizzle-orm/d1';
import * as schema from './schema/index.ts';

export type Database = ReturnType<typeof openDatabase>;

export function openDatabase(binding: D1Database) {
  return drizzle(binding, { schema, casing: 'snake_case' });
}
