import { findMissingColumns, TABLE_COUNT } from '#src/db/missing-columns.ts';
import type { Check } from '#src/services/operating/check.ts';

/** Finds tables and columns that this release uses and the database lacks. */
export const checkSchema: Check = async (ctx) => {
  const missing = await findMissingColumns(ctx.db);
  const findings = missing.map(({ table, columns, isTableMissing }) => ({
    level: 'fail' as const,
    place: table,
    message: isTableMissing
      ? 'The table is missing: apply the migrations.'
      : `The table lacks ${columns.join(', ')}: apply the migrations.`,
    mended: false,
  }));
  return { examined: TABLE_COUNT, findings, next_page_token: null };
};
