import { parsePageToken } from '#src/db/paging.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { deleteKeys } from '#src/services/files/bucket.ts';
import { findOrphans } from '#src/services/files/owned-objects.ts';
import { type Check, type Finding, TOKEN_LOCATION, tryRepair } from '#src/services/operating/check.ts';

/**
 * Finds bucket objects that no row refers to. Only objects older than a day are checked, because a row may be
 * written after its object. Objects whose keys have an unknown form are ignored.
 */
export const checkObjects: Check = async (ctx, input) => {
  const [cursor] = parsePageToken(input.page_token, ['string'], TOKEN_LOCATION) ?? [];
  const from = cursor === undefined ? {} : { startAfter: cursor };
  const listed = await ctx.bucket.list({ prefix: 'projects/', limit: input.page_size, ...from });
  const before = Date.now() - DAY_MS;
  const old = listed.objects.filter(({ uploaded }) => uploaded.getTime() < before);
  const orphans = await findOrphans(
    ctx,
    old.map(({ key }) => key),
  );
  const isRepaired =
    orphans.length > 0 && (await tryRepair(ctx, input, () => deleteKeys(ctx.bucket, orphans)));
  const findings = orphans.map((place): Finding => {
    return { level: 'warn', place, message: 'No database row refers to this object.', mended: isRepaired };
  });
  const last = listed.objects.at(-1);
  const next_page_token = listed.truncated && last ? encodeCursor([last.key]) : null;
  return { examined: listed.objects.length, findings, next_page_token };
};
