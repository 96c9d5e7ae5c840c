import type { Tongue } from '#src/api/tongue.ts';
import { Invalid, type Issue } from '#src/errors.ts';
import { tell, tellPath } from '#src/vocabulary/tell.ts';
import { toClient, toNeutral } from '#src/vocabulary/translate.ts';

/** How clients of the hosted original speak. */
export const clientTongue: Tongue = {
  heard: toNeutral,
  said: toClient,
  refused: (error) => (error instanceof Invalid ? error.issues.map(toldIssue) : tell(error.message)),
  warned: (warnings) =>
    warnings.map(({ field, reason }) => ({
      field: tellPath(field.split('.')).join('.'),
      reason: tell(reason),
    })),
};

function toldIssue({ loc, msg, ctx, ...rest }: Issue): Issue {
  return { ...rest, loc: tellPath(loc), msg: tell(msg), ...(ctx && { ctx: toldContext(ctx) }) };
}

const toldContext = (ctx: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(ctx).map(([name, value]) => [name, typeof value === 'string' ? tell(value) : value]),
  );
