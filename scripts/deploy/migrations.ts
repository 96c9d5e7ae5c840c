import { globSync } from 'node:fs';

/** The names of a folder's migrations, in their order. */
export const migrationsIn = (folder: string): string[] => globSync('*.sql', { cwd: folder }).toSorted();
