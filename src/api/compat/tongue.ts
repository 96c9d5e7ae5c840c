import type { Tongue } from '#src/api/http/tongue.ts';
import { type Issue, listIssues } from '#src/lib/errors.ts';
import { pagesForClient } from '#src/vocabulary/pages.ts';
import { isCallers, tell, tellPath } from '#src/vocabulary/tell.ts';
import { toClient, toNeutral } from '#src/vocabulary/translate.ts';
import { wordForClient } from '#src/vocabulary/words.ts';

/** Converts between the service's words and those of the original's clients. */
export const clientTongue: Tongue = {
  heard: toNeutral,
  said: toClient,
  refused: (error) => listIssues(error)?.map(toldIssue) ?? tell(error.message),
  warned: (warnings) =>
    warnings.map(({ field, reason }) => {
      const path = field.split('.');
      return { field: tellPath(path).join('.'), reason: isCallers(path) ? reason : tell(reason) };
    }),
};

function toldIssue(issue: Issue): Issue {
  const { loc, msg, ctx, ...rest } = issue;
  const told = { ...rest, loc: tellPath(loc) };
  if (isCallers(loc)) return { ...told, msg, ...(ctx && { ctx }) };
  return { ...told, ...toldInput(issue), msg: tell(msg), ...(ctx && { ctx: toldContext(ctx) }) };
}

/** Restores the input of an issue to what the client sent. */
function toldInput({ loc, input }: Issue): Pick<Issue, 'input'> {
  if (typeof input !== 'string') return {};
  const isPages = loc.at(-2) === 'parse_parameters' && loc.at(-1) === 'target_pages';
  return { input: isPages ? pagesForClient(input) : wordForClient(input) };
}

const toldContext = (ctx: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(ctx).map(([name, value]) => [name, typeof value === 'string' ? tell(value) : value]),
  );
